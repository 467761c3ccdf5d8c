// Tree reduction, interleaved addressing with a divergent branch. A block size
// that is no power of two adds cells beyond the data, but never races.
//
// babycuda: check => drf
// babycuda: check --block 256 => drf
// babycuda: check --block 100 --grid 8 => drf

__global__ void reduce_interleaved(const int *in, int *out)
{
    extern __shared__ int s[];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

    s[tid] = in[i];
    __syncthreads();

    for (unsigned int step = 1; step < blockDim.x; step *= 2) {
        if (tid % (2 * step) == 0)
            s[tid] += s[tid + step];
        __syncthreads();
    }

    if (tid == 0)
        out[blockIdx.x] = s[0];
}
