__global__ void kernel(int *a, int n)
{
    int i;
    if (n > 3) i = threadIdx.x; else i = 2 * threadIdx.x;
    a[i] = 0;
}
