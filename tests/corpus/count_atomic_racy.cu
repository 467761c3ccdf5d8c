// Counting without a barrier on either side of the atomic additions: thread 0
// clears the counter late, and reads it early.
//
// babycuda: check => racy at count 15 21
// babycuda: check => racy at count 21 24
// babycuda: check --block 256 --param n=1000 => racy at count 15 21
// babycuda: check --block 256 --param n=1000 => racy at count 21 24
// babycuda: check --block 1 => drf

__global__ void count_positive(const float *in, int *total, int n)
{
    __shared__ int count;

    if (threadIdx.x == 0)
        count = 0;

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int mine = 0;
    if (i < n && in[i] > 0.0f)
        mine = 1;
    atomicAdd(&count, mine);

    if (threadIdx.x == 0)
        atomicAdd(total, count);
}
