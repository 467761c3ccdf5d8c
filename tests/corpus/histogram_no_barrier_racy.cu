// The atomic histogram whose threads do not wait for one another before they
// copy the bins out: a plain read meets an atomic addition.
//
// babycuda: assume n <= 1073741824
// babycuda: assume gridDim.x <= 65535
// babycuda: check => racy at bins 21 24 | unknown
// babycuda: check --block 128 --param n=1000 => racy at bins 21 24 | unknown
// babycuda: check --block 128 --param n=0 => drf

#define BINS 256

__global__ void histogram(const unsigned char *data, unsigned int *hist, int n)
{
    __shared__ unsigned int bins[BINS];

    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        bins[b] = 0;
    __syncthreads();

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&bins[data[i]], 1u);

    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        atomicAdd(&hist[b], bins[b]);
}
