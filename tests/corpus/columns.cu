// Each thread goes down a column of a picture whose width is not negative.
//
// babycuda: assume w >= 0
// babycuda: check => drf
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
