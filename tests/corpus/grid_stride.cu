// Each thread goes on by as many elements as the grid has threads. The product of the extents is unsigned, and
// the counter an `int`: a thread whose counter would pass the largest `int` goes no further, and verdicts
// say so. What it stored before counts.
//
// babycuda: check => drf
// babycuda: check --block 256 => drf
// babycuda: check --block 256 --grid 4 => drf
// babycuda: check --block 2 --param n=5 => drf

__global__ void grid_stride(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += gridDim.x * blockDim.x)
        y[i] = 2.0f * x[i];
}
