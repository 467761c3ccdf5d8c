__global__ void kernel(int *a)
{
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) a[i] = 1;
    int j = threadIdx.x;
    while (j < 100) { a[j] = 2; j += 32; }
}
