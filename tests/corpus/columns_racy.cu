// Each thread goes down a column. Where the width is negative, all are columns of a picture that is huge: the
// comparison is unsigned; and pointers go on to the left, where other threads have been.
//
// babycuda: check => racy ww out 16 16
// babycuda: check --block 8 --param w=-1 --param h=3 => racy ww out 16 16
// babycuda: check --block 8 --param w=8 --param h=3 => drf

__global__ void columns(float *out, const float *in, int w, int h)
{
    unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= w)
        return;
    out += x;
    in += x;
    for (int y = 0; y < h; y++) {
        *out = 2.0f * *in;
        out += w;
        in += w;
    }
}
