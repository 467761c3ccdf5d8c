// Element-wise sum of two vectors, one element a thread.
//
// babycuda: check => drf
// babycuda: check --block 256 --grid 4 --param n=1000 => drf
// babycuda: check --grid 64 => drf

__global__ void vector_add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
