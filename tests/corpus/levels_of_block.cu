// A level after the other: how many there are is read from memory in each
// round, the same for all threads of a block.
//
// babycuda: check => drf
// babycuda: check --block 64 => drf

__global__ void levels(const int *count, float *data)
{
    __shared__ float s[1024];
    unsigned int t = threadIdx.x;
    for (int l = 0; l < count[blockIdx.x]; l++) {
        s[t] = data[blockDim.x * blockIdx.x + t];
        __syncthreads();
        data[blockDim.x * blockIdx.x + t] = s[blockDim.x - 1 - t];
        __syncthreads();
    }
}
