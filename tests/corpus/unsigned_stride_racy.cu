// The same with an unsigned stride: the product is unsigned, and wraps.
//
// babycuda: assume stride > 0
// babycuda: check => racy ww a 12 12
// babycuda: check --overflow wrap => racy ww a 12 12
// babycuda: check --block 8 --param stride=1073741824 => racy ww a 12 12

__global__ void unsigned_stride(float *a, unsigned stride)
{
    int i = threadIdx.x;
    int at = i * stride;
    a[at] = 0.0f;
}
