__global__ void kernel(int *a, int n)
{
    for (int i = threadIdx.x; i < n; i += 2) a[i] = 1;
}
