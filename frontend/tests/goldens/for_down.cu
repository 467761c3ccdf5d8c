__global__ void kernel(int *a)
{
    for (int i = 9; i >= 0; i--) a[i] = 1;
    for (int i = blockDim.x; i > 0; i -= 2) a[i] = 2;
}
