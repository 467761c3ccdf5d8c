// Matrix transpose straight through global memory.
//
// babycuda: assume 0 < width && width <= 16384 && 0 < height && height <= 16384
// babycuda: assume gridDim.x <= 65535
// babycuda: check => drf
// babycuda: check --block 16,16 --grid 4,4 --param width=50 --param height=60 => drf

__global__ void transpose_naive(float *out, const float *in, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[x * height + y] = in[y * width + x];
}
