// components_hook_racy.cu repaired: labels of the last round are read, those of
// the next are updated atomically.
//
// babycuda: check => drf
// babycuda: check --block 32 --param edges=32 => drf

__global__ void hook(const int *one, const int *other, const int *label, int *next, int edges)
{
    int e = threadIdx.x;
    if (e < edges) {
        int u = label[one[e]];
        int v = label[other[e]];
        if (u < v)
            atomicMin(&next[other[e]], u);
    }
}
