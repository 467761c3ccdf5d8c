__global__ void kernel(int *a, int n)
{
    int *p = a + 4;
    *p = 1;
    p[threadIdx.x] = 2;
    *(a + n) = 3;
    int *q = &a[n];
    q[1] = 4;
    p += 2;
    *p++ = 5;
    *p = 6;
}
