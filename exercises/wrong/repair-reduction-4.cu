// wrong: it is race-free | it is racy: thread
__global__ void sum(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    __syncthreads();
    s[t] = in[t];
    for (int half = 32; half > 0; half /= 2) {
        if (t < half)
            s[t] += s[t + half];
    }
    if (t == 0)
        out[0] = s[0];
}
