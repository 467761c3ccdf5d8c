// Tree reduction, sequential addressing.
//
// babycuda: check => drf
// babycuda: check --block 256 => drf
// babycuda: check --block 100 --grid 8 => drf

__global__ void reduce_sequential(const int *in, int *out)
{
    extern __shared__ int s[];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

    s[tid] = in[i];
    __syncthreads();

    for (unsigned int half = blockDim.x / 2; half > 0; half >>= 1) {
        if (tid < half)
            s[tid] += s[tid + half];
        __syncthreads();
    }

    if (tid == 0)
        out[blockIdx.x] = s[0];
}
