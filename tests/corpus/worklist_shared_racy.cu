// Like worklist_shared.cu, with two rounds: the counter is not reset by itself in
// the second, but beside the additions of the first.
//
// babycuda: check --block 64 => racy at count 18 20 | unknown
// babycuda: check --block 1 => drf

__global__ void compact(const int *in, int *out)
{
    __shared__ unsigned int count;
    __shared__ int list[1024];
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    if (in[threadIdx.x] > 0)
        list[atomicAdd(&count, 1u)] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        count = 0;
    if (in[threadIdx.x] > 1)
        list[atomicAdd(&count, 1u)] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = list[threadIdx.x];
}
