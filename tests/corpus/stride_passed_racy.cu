// Where the counter leaves its type, a thread goes no further. It has stored before, as its neighbour has,
// and threads that do not enter the loop get to the end.
//
// babycuda: check --block 64 --param n=2147483647 => racy ww a 12 12
// babycuda: check --block 64 --param n=-5 => racy ww a 13 13
// babycuda: check --block 64 => racy ww a 13 13

__global__ void stride_passed(int *a, int n)
{
    int first = 2147483600 - (int)threadIdx.x / 2;
    for (int i = first; i < n; i += 32 * blockDim.x)
        a[i] = 1;
    a[0] = 2;
}
