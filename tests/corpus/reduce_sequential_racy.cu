// Tree reduction, sequential addressing, without the barrier after the
// load: the first level reads cells that are not loaded yet.
//
// babycuda: check => racy rw s 15 19
// babycuda: check --block 256 => racy rw s 15 19
// babycuda: check --block 2 => racy rw s 15 19
// babycuda: check --block 1 => drf

__global__ void reduce_sequential(const int *in, int *out)
{
    extern __shared__ int s[];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

    s[tid] = in[i];

    for (unsigned int half = blockDim.x / 2; half > 0; half >>= 1) {
        if (tid < half)
            s[tid] += s[tid + half];
        __syncthreads();
    }

    if (tid == 0)
        out[blockIdx.x] = s[0];
}
