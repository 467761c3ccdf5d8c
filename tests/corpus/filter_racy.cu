// Rows of an image that are shorter than what a block writes of them.
//
// babycuda: check --block 16,16 --grid 1 --param width=8 => racy ww out 12 12
// babycuda: check --block 8,16 --grid 1 --param width=8 => drf

__global__ void filter(cudaTextureObject_t image, float *out, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = threadIdx.y;
    float left = tex2D<float>(image, x - 0.5f, y + 0.5f);
    float right = tex2D<float>(image, x + 1.5f, y + 0.5f);
    out[y * width + x] = 0.5f * (left + right);
}
