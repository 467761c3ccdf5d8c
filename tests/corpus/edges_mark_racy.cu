// Several edges may end in one node.
//
// babycuda: check --block 256 => racy ww reached 15 15
// babycuda: check --block 1 => drf

struct Edge {
    int from, to;
    float weight;
};

__global__ void relax(const Edge *edges, int *reached)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Edge edge = edges[i];
    reached[edge.to] = edge.from;
}
