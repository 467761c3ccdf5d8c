// Inclusive scan in one buffer, with a barrier between reading and writing.
//
// babycuda: check => drf
// babycuda: check --block 256 => drf
// babycuda: check --block 100 => drf

__global__ void scan_in_place(const int *in, int *out)
{
    __shared__ int s[1024];
    int tid = threadIdx.x;

    s[tid] = in[tid];
    __syncthreads();

    for (int offset = 1; offset < blockDim.x; offset <<= 1) {
        int left = 0;
        if (tid >= offset)
            left = s[tid - offset];
        __syncthreads();
        s[tid] += left;
        __syncthreads();
    }

    out[tid] = s[tid];
}
