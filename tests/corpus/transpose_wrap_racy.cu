// The naive transpose without a bound on the matrix: x * height wraps at 2^32,
// so height = 2^30 sends columns 0 and 4 to the same cells. Over the naturals
// there is no race.
//
// babycuda: check => racy ww out 14 14
// babycuda: check --block 8,1 --param width=8 --param height=1073741824 => racy ww out 14 14
// babycuda: check --block 8,8 --param width=8 --param height=8 => drf

__global__ void transpose_wrap(float *out, const float *in, unsigned width, unsigned height)
{
    unsigned x = threadIdx.x;
    unsigned y = threadIdx.y;
    if (x < width && y < height)
        out[x * height + y] = in[y * width + x];
}
