// Hooking along edges: the end with the larger label takes the smaller one,
// while other edges read and write it. Whether an edge hooks rests on labels,
// which the kernel itself writes.
//
// babycuda: check => racy rw label 12 15 | unknown
// babycuda: check --block 32 --param edges=32 => racy rw label 12 15 | unknown

__global__ void hook(const int *one, const int *other, int *label, int edges)
{
    int e = threadIdx.x;
    if (e < edges) {
        int u = label[one[e]];
        int v = label[other[e]];
        if (u < v)
            label[other[e]] = u;
    }
}
