// The product has only the low 24 bits of its factors, which are less.
//
// babycuda: assume w >= 0 && w < 4096 && h < 4096
// babycuda: check => drf
// babycuda: check --block 8,8 --param w=16 --param h=4 => drf

__global__ void rows_mul24(float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[__mul24(y, w) + x] = 1.0f;
}
