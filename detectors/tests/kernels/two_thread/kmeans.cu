// K-means: each thread finds the nearest of 4 centres for its point, then 4 threads move the centres.
__global__ void kmeans(float *points, float *centres, int *nearest) {
    __shared__ float c[4];
    __shared__ float sum[8];
    __shared__ int of[8];
    int t = threadIdx.x;
    if (t < 4) c[t] = centres[t];
    __syncthreads();
    float best = 1.0e30f;
    int which = 0;
    for (int k = 0; k < 4; k++) {
        float d = fabsf(points[t] - c[k]);
        if (d < best) {
            best = d;
            which = k;
        }
    }
    of[t] = which;
    sum[t] = points[t];
    nearest[t] = which;
    __syncthreads();
    if (t < 4) {
        float s = 0.0f;
        for (int i = 0; i < 8; i++) {
            if (of[i] == t) s += sum[i];
        }
        c[t] = s;
    }
    __syncthreads();
    if (t < 4) centres[t] = c[t] + c[(t + 1) % 4];
}
