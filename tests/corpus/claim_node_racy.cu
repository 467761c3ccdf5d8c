// Like claim_node.cu, but thread 0 stores its own number, which is 0: the node
// seems free to the next thread.
//
// babycuda: check --block 64 --grid 1 --param n=64 => racy ww parent 13 13 | unknown
// babycuda: check --block 1 --grid 1 => drf

__global__ void claim(unsigned int *claimed, int *parent, const int *node, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int v = node[i];
        if (atomicCAS(&claimed[v], 0u, threadIdx.x) == 0)
            parent[v] = i;
    }
}
