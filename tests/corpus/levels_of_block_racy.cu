// As levels_of_block.cu without the last barrier of a level.
//
// babycuda: check => racy rw s 11 13
// babycuda: check --block 64 => racy rw s 11 13

__global__ void levels(const int *count, float *data)
{
    __shared__ float s[1024];
    unsigned int t = threadIdx.x;
    for (int l = 0; l < count[blockIdx.x]; l++) {
        s[t] = data[blockDim.x * blockIdx.x + t];
        __syncthreads();
        data[blockDim.x * blockIdx.x + t] = s[blockDim.x - 1 - t];
    }
}
