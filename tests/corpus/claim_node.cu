// Who finds a node free claims it, and alone writes its parent: at most one
// compare-and-swap succeeds, since nobody stores a 0 there.
//
// babycuda: check => drf
// babycuda: check --block 64 --grid 8 => drf

__global__ void claim(int *claimed, int *parent, const int *node, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int v = node[i];
        if (atomicCAS(&claimed[v], 0, 1) == 0)
            parent[v] = i;
    }
}
