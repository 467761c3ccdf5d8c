// A row for each block: its neighbours are staged in shared memory, tile by
// tile. How many tiles there are is read from memory, the same for all threads.
//
// babycuda: check => drf
// babycuda: check --block 64 => drf

__global__ void rows(const int *row, const int *col, const float *in, float *out)
{
    __shared__ float s[1024];
    int first = row[blockIdx.x];
    int tiles = row[blockIdx.x + 1];
    float sum = 0.0f;
    for (int t = 0; t < tiles; t++) {
        s[threadIdx.x] = in[col[first + t]];
        __syncthreads();
        for (unsigned int j = 0; j < blockDim.x; j++)
            sum += s[j];
        __syncthreads();
    }
    out[blockDim.x * blockIdx.x + threadIdx.x] = sum;
}
