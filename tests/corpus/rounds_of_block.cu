// How many rounds a block makes is read from memory: the same number for all of
// its threads, so that they meet at each barrier.
//
// babycuda: check => drf
// babycuda: check --block 64 => drf

__global__ void rounds(const int *count, float *data)
{
    __shared__ float s[1024];
    int n = count[blockIdx.x];
    for (int i = 0; i < n; i++) {
        s[threadIdx.x] = data[threadIdx.x];
        __syncthreads();
        data[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
        __syncthreads();
    }
}
