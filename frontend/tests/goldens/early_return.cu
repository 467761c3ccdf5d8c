__global__ void kernel(int *a, int n)
{
    int i = threadIdx.x;
    if (i >= n) return;
    a[i] = 1;
    if (a[i] == 7) return;
    a[i + 1] = 2;
}
