__global__ void kernel(int *a, int n)
{
    int i = 0;
    do { a[i] = 1; i++; } while (i < 4);
}
