// The product has only the low 24 bits of the width: of 16777217, that is 1.
//
// babycuda: check => racy ww out 12 12
// babycuda: check --block 8,8 --param w=16777217 --param h=4 => racy ww out 12 12
// babycuda: check --block 8,8 --param w=16 --param h=4 => drf

__global__ void rows_mul24(float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[__mul24(y, w) + x] = 1.0f;
}
