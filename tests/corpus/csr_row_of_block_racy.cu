// As csr_row_of_block.cu without the barrier behind the sum.
//
// babycuda: check => racy rw s 13 16
// babycuda: check --block 64 => racy rw s 13 16 | unknown

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
    }
    out[blockDim.x * blockIdx.x + threadIdx.x] = sum;
}
