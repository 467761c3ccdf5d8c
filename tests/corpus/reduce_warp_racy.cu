// The unrolled last warp of many old reductions: it trusts lockstep execution
// and `volatile`. Without warp barriers thread 0 reads what thread 16 writes.
//
// babycuda: check => racy rw s 26 27
// babycuda: check --block 64 => racy rw s 26 27
// babycuda: check --block 64 => racy rw s 26 26
// babycuda: check --block 1 => drf

__global__ void reduce_warp(const int *in, int *out)
{
    __shared__ int s[1024 + 32];
    unsigned int tid = threadIdx.x;

    s[tid] = in[tid];
    __syncthreads();

    for (unsigned int half = blockDim.x / 2; half > 32; half >>= 1) {
        if (tid < half)
            s[tid] += s[tid + half];
        __syncthreads();
    }

    if (tid < 32) {
        volatile int *v = s;
        v[tid] += v[tid + 32];
        v[tid] += v[tid + 16];
        v[tid] += v[tid + 8];
        v[tid] += v[tid + 4];
        v[tid] += v[tid + 2];
        v[tid] += v[tid + 1];
    }

    if (tid == 0)
        out[0] = s[0];
}
