// Multiples of the stride are distinct over the naturals. In 32 bits a stride
// of 2^31 puts every second thread in the same cell.
//
// babycuda: assume stride > 0
// babycuda: check => racy ww a 12 12
// babycuda: check --block 4 --param stride=2147483648 => racy ww a 12 12
// babycuda: check --param stride=2 => drf

__global__ void every_stride(float *a, unsigned int stride)
{
    unsigned int i = threadIdx.x * stride;
    a[i] = 0.0f;
}
