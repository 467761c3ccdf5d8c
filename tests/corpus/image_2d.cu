// One element a thread of a row-major image, without a bound on its size.
// `y * width + x` overflows for images of 2^31 elements and more: undefined in
// C, so such executions are out of scope. Where it wraps, rows meet.
//
// babycuda: check => drf
// babycuda: check --block 8,8 --grid 2,2 --param width=13 --param height=11 => drf
// babycuda: check --overflow wrap => racy ww out 14 14

__global__ void image_2d(float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = 1.0f;
}
