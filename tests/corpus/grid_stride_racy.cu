// The same with the stride of one block, and each element is computed from its neighbour, which another
// thread writes.
//
// babycuda: check => racy rw y 13 13
// babycuda: check --block 256 => racy rw y 13 13
// babycuda: check --block 32 --grid 2 => racy ww y 13 13
// babycuda: check --block 1 --grid 1 => drf

__global__ void grid_stride(float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += blockDim.x)
        y[i] = y[i + 1];
}
