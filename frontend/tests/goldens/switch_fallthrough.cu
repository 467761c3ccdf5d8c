__global__ void kernel(int *a, int n)
{
    switch (n) {
    case 1: a[1] = 1;
    case 2: a[2] = 2; break;
    default: a[0] = 0;
    }
}
