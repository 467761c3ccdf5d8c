// segments_copy_racy.cu repaired: each segment has room for 16 elements, and
// what does not fit is left out.
//
// babycuda: check => drf
// babycuda: check --block 8 --param n=8 => drf

__global__ void copy(const int *offset, const float *in, float *out, int n)
{
    int s = threadIdx.x;
    if (s < n) {
        int first = offset[s];
        for (int i = 0; i < offset[s + 1] - first && i < 16; i++)
            out[16 * s + i] = in[first + i];
    }
}
