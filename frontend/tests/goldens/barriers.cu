__global__ void kernel(int *a)
{
    a[threadIdx.x] = 1;
    __syncthreads();
    for (int k = 0; k < 4; k++) { a[threadIdx.x + 1] = k; __syncthreads(); }
    if (threadIdx.x < 16) __syncthreads();
}
