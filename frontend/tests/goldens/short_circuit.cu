__global__ void kernel(int *a, const int *b, int n)
{
    int i = threadIdx.x;
    if (i < n && b[i] > 0) a[i] = 1;
    if (i < n || b[i] > 0) a[i] = 2;
    a[0] = i < n ? b[i] : 0;
}
