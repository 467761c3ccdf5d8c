// Rows, one for each block, then as many further on as the grid has blocks, staged in shared memory.
//
// babycuda: check --block 256 => drf
// babycuda: check --block 64 => drf

__global__ void rows_of_grid(int *y, const int *x, int rows)
{
    __shared__ int row[256];
    for (int r = blockIdx.x; r < rows; r += gridDim.x) {
        row[threadIdx.x] = x[r * 256 + threadIdx.x];
        __syncthreads();
        y[r * 256 + threadIdx.x] = row[blockDim.x - 1 - threadIdx.x];
        __syncthreads();
    }
}
