// A step of hierarchical clustering: the nearest cluster of each, then one merge.
__global__ void hc(float *at, int *label) {
    __shared__ float d[8];
    __shared__ int to[8];
    int t = threadIdx.x;
    d[t] = 1.0e30f;
    to[t] = t;
    for (int k = 0; k < 8; k++) {
        float e = fabsf(at[t] - at[k]);
        if (k != t && e < d[t]) {
            d[t] = e;
            to[t] = k;
        }
    }
    __syncthreads();
    for (int s = 4; s > 0; s >>= 1) {
        if (t < s && d[t + s] < d[t]) {
            d[t] = d[t + s];
            to[t] = to[t + s];
        }
        __syncthreads();
    }
    d[7 - t] = 0.0f;
    label[t] = to[0];
}
