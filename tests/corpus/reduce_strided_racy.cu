// Tree reduction, interleaved addressing with a strided index that lost
// its factor of two: each thread reads the cell that its neighbour writes.
//
// babycuda: check => racy rw s 21 21
// babycuda: check --block 256 => racy rw s 21 21
// babycuda: check --block 2 => racy rw s 21 21
// babycuda: check --block 1 => drf

__global__ void reduce_strided(const int *in, int *out)
{
    extern __shared__ int s[];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

    s[tid] = in[i];
    __syncthreads();

    for (unsigned int step = 1; step < blockDim.x; step *= 2) {
        unsigned int index = step * tid;
        if (index < blockDim.x)
            s[index] += s[index + step];
        __syncthreads();
    }

    if (tid == 0)
        out[blockIdx.x] = s[0];
}
