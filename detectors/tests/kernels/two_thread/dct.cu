// A discrete cosine transform of 8 by 8: rows, then columns.
__global__ void dct(float *in, float *out) {
    __shared__ float a[8][8];
    __shared__ float b[8][8];
    int x = threadIdx.x;
    int y = threadIdx.y;
    a[y][x] = in[8 * y + x];
    __syncthreads();
    float s = 0.0f;
    for (int k = 0; k < 8; k++) s += a[y][k] * cosf(3.14159f / 8.0f * (k + 0.5f) * x);
    b[y][x] = s;
    __syncthreads();
    s = 0.0f;
    for (int k = 0; k < 8; k++) s += b[k][x] * cosf(3.14159f / 8.0f * (k + 0.5f) * y);
    out[8 * y + x] = s;
}
