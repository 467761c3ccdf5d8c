// Matrix times vector, an element of the matrix a thread, added atomically.
//
// babycuda: check => drf
// babycuda: check --block 16,16 --grid 2,2 --param rows=32 --param cols=32 => drf

__global__ void matvec(const float *A, const float *x, float *y, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols)
        atomicAdd(&y[row], A[row * cols + col] * x[col]);
}
