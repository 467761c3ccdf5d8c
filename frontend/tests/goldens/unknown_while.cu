__global__ void kernel(int *a, int n)
{
    int x = n;
    while (x != 1) { a[x] = 0; x = x % 2 == 0 ? x / 2 : 3 * x + 1; }
}
