// C = A * B, one element of C a thread.
//
// babycuda: assume n <= 16384
// babycuda: assume gridDim.x <= 65535
// babycuda: check => drf
// babycuda: check --block 8,8 --grid 3,3 --param n=20 => drf

__global__ void matmul_naive(const float *A, const float *B, float *C, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n && col < n) {
        float sum = 0.0f;
        for (int k = 0; k < n; ++k)
            sum += A[row * n + k] * B[k * n + col];
        C[row * n + col] = sum;
    }
}
