// A worklist of the block in shared memory, its counter reset before a barrier.
// Race-free: the slots of one phase are different ones.
//
// babycuda: check => drf
// babycuda: check --block 64 --grid 4 => drf

__global__ void compact(int *out, const int *in)
{
    __shared__ unsigned int count;
    __shared__ int list[1024];
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    int v = in[blockIdx.x * blockDim.x + threadIdx.x];
    if (v > 0) {
        unsigned int slot = atomicAdd(&count, 1u);
        list[slot] = v;
    }
    __syncthreads();
    if (threadIdx.x < count)
        out[blockIdx.x * blockDim.x + threadIdx.x] = list[threadIdx.x];
}
