// LU decomposition of a block of 8 by 8, one thread a column.
#define N 8
__global__ void lu(float *m) {
    __shared__ float t[N][N];
    __shared__ float pivot[N];
    int c = threadIdx.x;
    for (int r = 0; r < N; r++) t[r][c] = m[r * N + c];
    __syncthreads();
    for (int k = 0; k < N; k++) {
        if (c > k) pivot[c] = t[c][k] / t[k][k];
        __syncthreads();
        if (c > k) {
            for (int j = 0; j < N; j++) t[c][j] = t[c][j] - pivot[c] * t[k][j];
        }
        __syncthreads();
    }
    for (int r = 0; r < N; r++) m[r * N + c] = t[r][c];
}
