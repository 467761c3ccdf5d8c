// Where the limit is below 0 the loop makes no turn, and every thread stores in one cell: what a counter's
// type can count to says nothing of that.
//
// babycuda: check --block 64 => racy ww a 13 13
// babycuda: check --block 64 --param n=-1 => racy ww a 13 13
// babycuda: check --block 64 --param n=100 => drf

__global__ void limit_below_zero(int *a, long long n)
{
    for (unsigned i = threadIdx.x; i < n; i += 64)
        a[i] = 1;
    if (n < 0)
        a[0] = 2;
}
