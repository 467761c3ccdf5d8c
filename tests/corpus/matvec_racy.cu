// Matrix times vector, an element of the matrix a thread: the threads of one
// row add into one element of y.
//
// babycuda: check => racy ww y 14 14
// babycuda: check => racy rw y 14 14
// babycuda: check --block 16,16 --param rows=16 --param cols=16 => racy ww y 14 14
// babycuda: check --block 256,1 => drf

__global__ void matvec(const float *A, const float *x, float *y, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols)
        y[row] += A[row * cols + col] * x[col];
}
