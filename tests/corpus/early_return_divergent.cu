// Threads beyond the data leave early, and the others wait for them at the
// barrier: undefined when n is smaller than the block.
//
// babycuda: check --block 128 --param n=128 => drf
// babycuda: check --block 128 --param n=100 => divergent | unknown
// babycuda: check => divergent | unknown

__global__ void rotate_left(float *a, int n)
{
    int i = threadIdx.x;
    if (i >= n)
        return;

    float x = a[(i + 1) % n];
    __syncthreads();
    a[i] = x;
}
