// Histogram of bytes: counted in shared memory, then added to the global one,
// atomically both times.
//
// babycuda: assume n <= 1073741824
// babycuda: assume gridDim.x <= 65535
// babycuda: check => drf
// babycuda: check --block 128 --grid 2 --param n=1000 => drf

#define BINS 256

__global__ void histogram(const unsigned char *data, unsigned int *hist, int n)
{
    __shared__ unsigned int bins[BINS];

    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        bins[b] = 0;
    __syncthreads();

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&bins[data[i]], 1u);
    __syncthreads();

    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        atomicAdd(&hist[b], bins[b]);
}
