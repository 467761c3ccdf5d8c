__global__ void kernel(int *a, int n, unsigned char c, long l)
{
    a[n] = 1;              // sign-extended
    a[(unsigned)n] = 2;    // zero-extended
    a[c - 1] = 3;          // promoted to int
    a[n + 1u] = 4;         // unsigned wins
    a[n + l] = 5;          // long wins
    a[(short)n] = 6;
    a[-1] = 7;
    a[n / 2] = n % 3;
    a[n >> 1] = ~n;
}
