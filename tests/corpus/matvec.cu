// Matrix times vector, a row a thread.
//
// babycuda: check => drf
// babycuda: check --block 64 --grid 2 --param rows=100 --param cols=50 => drf

__global__ void matvec(const float *A, const float *x, float *y, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0.0f;
        for (int c = 0; c < cols; c++)
            sum += A[row * cols + c] * x[c];
        y[row] = sum;
    }
}
