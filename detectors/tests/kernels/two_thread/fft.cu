// A transform of 16 points, in two arrays by turns.
__global__ void fft(float *re, float *im) {
    __shared__ float r[16];
    __shared__ float i[16];
    int t = threadIdx.x;
    r[t] = re[t];
    i[t] = im[t];
    r[t + 8] = re[t + 8];
    i[t + 8] = im[t + 8];
    __syncthreads();
    for (int h = 8; h > 0; h >>= 1) {
        int j = t / h * (2 * h) + t % h;
        float c = cosf(t % h);
        float s = sinf(t % h);
        float x = r[j + h] * c - i[j + h] * s;
        float y = r[j + h] * s + i[j + h] * c;
        r[j + h] = r[j] - x;
        i[j + h] = i[j] - y;
        r[j] = r[j] + x;
        i[j] = i[j] + y;
        __syncthreads();
    }
    re[t] = r[t];
    im[t] = i[t];
}
