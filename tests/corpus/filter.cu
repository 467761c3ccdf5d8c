// A texture is filtered: what it holds is read, and written elsewhere.
//
// babycuda: check --block 16,16 --grid 1 --param width=16 => drf
// babycuda: check --block 8,4 --grid 2 --param width=16 => drf

__global__ void filter(cudaTextureObject_t image, float *out, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = threadIdx.y;
    float left = tex2D<float>(image, x - 0.5f, y + 0.5f);
    float right = tex2D<float>(image, x + 1.5f, y + 0.5f);
    out[y * width + x] = 0.5f * (left + right);
}
