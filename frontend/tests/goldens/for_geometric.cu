__global__ void kernel(int *a)
{
    for (int s = 1; s < 16; s *= 2) { a[s] = 1; __syncthreads(); }
    for (unsigned s = blockDim.x / 256; s > 0; s >>= 1) { a[s] = 2; __syncthreads(); }
}
