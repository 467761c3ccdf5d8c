// As rounds_of_block.cu without the last barrier: the next round writes what
// this one still reads, if the host asks for two rounds.
//
// babycuda: check => racy rw s 12 14
// babycuda: check --block 64 => racy rw s 12 14 | unknown

__global__ void rounds(const int *count, float *data)
{
    __shared__ float s[1024];
    int n = count[blockIdx.x];
    for (int i = 0; i < n; i++) {
        s[threadIdx.x] = data[threadIdx.x];
        __syncthreads();
        data[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
    }
}
