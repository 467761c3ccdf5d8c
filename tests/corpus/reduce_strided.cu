// Tree reduction, interleaved addressing with a strided index.
//
// babycuda: check => drf
// babycuda: check --block 256 => drf
// babycuda: check --block 100 --grid 8 => drf

__global__ void reduce_strided(const int *in, int *out)
{
    extern __shared__ int s[];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

    s[tid] = in[i];
    __syncthreads();

    for (unsigned int step = 1; step < blockDim.x; step *= 2) {
        unsigned int index = 2 * step * tid;
        if (index < blockDim.x)
            s[index] += s[index + step];
        __syncthreads();
    }

    if (tid == 0)
        out[blockIdx.x] = s[0];
}
