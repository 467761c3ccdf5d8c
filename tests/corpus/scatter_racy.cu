// Scatter through an index array: two equal indices race. The contents of
// `index` decide, and nothing is known of them.
//
// babycuda: check => racy ww out 12 12 | unknown
// babycuda: check --block 32 --param n=32 => racy ww out 12 12 | unknown
// babycuda: check --block 32 --param n=1 => drf

__global__ void scatter(const float *in, const int *index, float *out, int n)
{
    int i = threadIdx.x;
    if (i < n)
        out[index[i]] = in[i];
}
