// The tiled matrix product without the barrier at the end of the loop body:
// a fast thread refills the tile while a slow one still multiplies. One tile
// is not enough to see it.
//
// babycuda: assume 0 <= n && n <= 8192
// babycuda: assume gridDim.x <= 65535
// babycuda: check --block 16,16 => racy rw As 28 33
// babycuda: check --block 16,16 => racy rw Bs 29 33
// babycuda: check --block 16,16 --param n=40 => racy rw As 28 33
// babycuda: check --block 16,16 --param n=16 => drf
// babycuda: check => racy rw As 28 33

#define TILE 16

__global__ void matmul_tiled(const float *A, const float *B, float *C, int n)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;
    float acc = 0.0f;

    for (int t = 0; t < (n + TILE - 1) / TILE; ++t) {
        int k0 = t * TILE;
        As[ty][tx] = (row < n && k0 + tx < n) ? A[row * n + k0 + tx] : 0.0f;
        Bs[ty][tx] = (k0 + ty < n && col < n) ? B[(k0 + ty) * n + col] : 0.0f;
        __syncthreads();

        for (int k = 0; k < TILE; ++k)
            acc += As[ty][k] * Bs[k][tx];
    }

    if (row < n && col < n)
        C[row * n + col] = acc;
}
