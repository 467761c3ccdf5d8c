// Segments are copied, one by each thread. Nothing says that `offset` does not
// decrease, and then segments overlap.
//
// babycuda: check => racy ww out 13 13
// babycuda: check --block 8 --param n=8 => racy ww out 13 13
// babycuda: check --block 8 --param n=1 => drf

__global__ void copy(const int *offset, const float *in, float *out, int n)
{
    int s = threadIdx.x;
    if (s < n)
        for (int i = offset[s]; i < offset[s + 1]; i++)
            out[i] = in[i];
}
