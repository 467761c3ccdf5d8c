__global__ void kernel(int *a)
{
    int x = 1;
    for (int k = 0; k < 3; k++) { a[x] = k; x = x * 3 + 1; }
    for (int k = 0; k < 8; k++) { if (k == 2) break; a[k] = 7; }
}
