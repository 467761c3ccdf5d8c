// The shared histogram without atomics: two equal bytes meet in one bin.
//
// babycuda: assume n <= 1073741824
// babycuda: assume gridDim.x <= 65535
// babycuda: check => racy ww bins 20 20 | unknown
// babycuda: check --block 128 --param n=1000 => racy rw bins 20 20 | unknown
// babycuda: check --block 128 --param n=1 => drf

#define BINS 256

__global__ void histogram(const unsigned char *data, unsigned int *hist, int n)
{
    __shared__ unsigned int bins[BINS];

    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        bins[b] = 0;
    __syncthreads();

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        bins[data[i]]++;
    __syncthreads();

    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        atomicAdd(&hist[b], bins[b]);
}
