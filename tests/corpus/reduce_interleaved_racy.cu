// Tree reduction, interleaved addressing with a divergent branch,
// without the barrier between two levels of the tree: thread 0 reads the
// partial sum that thread 2 may still be adding up.
//
// babycuda: check => racy rw s 21 21
// babycuda: check --block 256 => racy rw s 21 21
// babycuda: check --block 3 => racy rw s 21 21
// babycuda: check --block 2 => drf

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
    }

    if (tid == 0)
        out[blockIdx.x] = s[0];
}
