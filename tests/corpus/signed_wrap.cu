// Threads meet only where `threadIdx.x * stride` wraps around at 32 bits, which
// signed arithmetic must not.
//
// babycuda: assume stride > 0
// babycuda: check => drf
// babycuda: check --block 4 --param stride=1073741824 => drf
// babycuda: check --overflow wrap => racy ww a 14 14
// babycuda: check --overflow wrap --block 8 --param stride=1073741824 => racy ww a 14 14

__global__ void signed_wrap(float *a, int stride)
{
    int i = threadIdx.x;
    int at = i * stride;
    a[at] = 0.0f;
}
