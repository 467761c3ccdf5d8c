// Single lanes return ahead of the warp's barrier. CUDA does not wait for those; the
// calculus does, and so it does not decide.
//
// babycuda: check --block 64 => drf | unknown
// babycuda: check --block 64 --param n=64 => drf

__global__ void shift(const int *in, int *out, unsigned int n)
{
    __shared__ int s[1024 + 1];
    unsigned int t = threadIdx.x;
    if (t >= n)
        return;
    s[t] = in[t];
    __syncwarp();
    if (t % 32 < 31)
        out[t] = s[t + 1];
}
