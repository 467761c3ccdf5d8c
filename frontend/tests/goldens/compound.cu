__global__ void kernel(int *a, int n)
{
    a[n] += 2;
    a[1]++;
    --a[2];
    int i = 3;
    a[i++] = i;
    a[++i] = i;
    for (int x = 0, y = 8; x < y; x++, y--) a[y] = min(n, max(x, 0)) + abs(n);
}
