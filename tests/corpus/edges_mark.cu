// Each thread changes its own edge, as a whole and by a part.
//
// babycuda: check => drf
// babycuda: check --block 256 => drf

struct Edge {
    int from, to;
    float weight;
};

__global__ void relax(Edge *edges, float by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Edge edge = edges[i];
    edge.weight *= by;
    if (edge.from == edge.to)
        edge.weight = 0.0f;
    edges[i] = edge;
    edges[i].to = edge.from;
}
