__global__ void kernel(int *a, const int *b, int n)
{
    int k = 0;
    for (; k < n; k++) { if (b[k] == 0) break; a[k] = 1; }
    a[k] = 2;
}
