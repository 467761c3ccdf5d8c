// Vector add that forgot `blockIdx.x * blockDim.x`: right in one block,
// and every block writes the same elements in a grid.
//
// babycuda: check => drf
// babycuda: check --block 256 --grid 4 --param n=1000 => racy ww c 12 12
// babycuda: check --grid 4 => racy ww c 12 12

__global__ void vector_add(const float *a, const float *b, float *c, int n)
{
    int i = threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
