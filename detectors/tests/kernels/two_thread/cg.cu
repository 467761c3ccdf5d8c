// A step of conjugate gradients: a dot product, then a new vector.
__global__ void cg(float *p, float *q, float *x) {
    __shared__ float dot[8];
    int t = threadIdx.x;
    dot[t] = p[t] * q[t];
    __syncthreads();
    for (int s = 4; s > 0; s >>= 1) {
        if (t < s) dot[t] = dot[t] + dot[t + s];
        __syncthreads();
    }
    float alpha = dot[0];
    x[t] = x[t] + alpha * p[t];
}
