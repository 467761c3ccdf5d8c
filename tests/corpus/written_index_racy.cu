// Each thread reads back its own index from shared memory, halves it, and
// writes there: what it reads it has written itself.
//
// babycuda: check --block 4 => racy ww out 12 12 | unknown
// babycuda: check => racy ww out 12 12 | unknown

__global__ void halves(int *out)
{
    __shared__ int s[1024];
    s[threadIdx.x] = threadIdx.x / 2;
    int mine = s[threadIdx.x];
    out[mine] = 1;
}
