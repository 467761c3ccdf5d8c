__global__ void kernel(int *a, int n)
{
    for (int i = 0; i < n; i++) a[i] = 1;
    for (int i = 2; i <= 5; ++i) a[i] = 2;
    for (unsigned i = threadIdx.x; i < 64; i++) a[i] = 3;
    for (int i = n; i != 10; i++) a[i] = 4;
}
