// The same without the second barrier: the next row is staged while this one is read.
//
// babycuda: check --block 256 => racy rw row 11 13
// babycuda: check --block 64 => racy rw row 11 13

__global__ void rows_of_grid(int *y, const int *x, int rows)
{
    __shared__ int row[256];
    for (int r = blockIdx.x; r < rows; r += gridDim.x) {
        // r is the number of a row
        row[threadIdx.x] = x[r * 256 + threadIdx.x];
        __syncthreads();
        y[r * 256 + threadIdx.x] = row[blockDim.x - 1 - threadIdx.x];
    }
}
