// One addition for a block: its first thread takes slots for all, and tells the
// others through shared memory where they begin. Race-free. That base comes out of
// an array that the block writes, so a checker may not know that it is one.
//
// babycuda: check --block 64 --grid 4 => drf | unknown
// babycuda: check --block 64 --grid 1 => drf | unknown

__global__ void push(unsigned int *count, int *list)
{
    __shared__ unsigned int base;
    if (threadIdx.x == 0)
        base = atomicAdd(count, blockDim.x);
    __syncthreads();
    list[base + threadIdx.x] = blockIdx.x;
}
