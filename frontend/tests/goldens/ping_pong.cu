__global__ void kernel(int *a, int n)
{
    int in = 0, out = 1;
    for (int k = 0; k < n; k++) { a[out] = k; out = 1 - out; in = 1 - out; }
    a[in] = 9;
}
