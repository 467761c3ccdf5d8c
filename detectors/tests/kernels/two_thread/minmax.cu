// The least and the greatest element.
__global__ void minmax(int *in, int *out) {
    __shared__ int low[8];
    __shared__ int high[8];
    int t = threadIdx.x;
    low[t] = in[t];
    high[t] = in[t];
    __syncthreads();
    for (int s = 4; s > 0; s >>= 1) {
        if (t < s) {
            low[t] = min(low[t], low[t + s]);
            high[t] = max(high[t], high[t + s]);
        }
        __syncthreads();
    }
    if (t == 0) {
        out[0] = low[0];
        out[1] = high[0];
    }
}
