// Counting with one shared atomic counter.
//
// babycuda: check => drf
// babycuda: check --block 256 --grid 4 --param n=1000 => drf

__global__ void count_positive(const float *in, int *total, int n)
{
    __shared__ int count;

    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int mine = 0;
    if (i < n && in[i] > 0.0f)
        mine = 1;
    atomicAdd(&count, mine);
    __syncthreads();

    if (threadIdx.x == 0)
        atomicAdd(total, count);
}
