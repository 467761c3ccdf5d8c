// All threads write s[0] before the barrier. What the threads but the first
// compute after it overflows, so nothing there is in scope; what came before
// is. Where it wraps, all but the first meet in a[0] and a[-2147483648] as well.
//
// babycuda: check --block 4 => racy ww s 12 12
// babycuda: check => racy ww s 12 12
// babycuda: check --overflow wrap --block 4 => racy ww s 12 12

__global__ void overflow_later(int *a)
{
    __shared__ int s[1];
    s[0] = threadIdx.x;
    __syncthreads();
    int i = threadIdx.x;
    int far = (i + 1) * 1073741824;
    a[far] = i;
}
