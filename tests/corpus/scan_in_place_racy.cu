// The scan in one buffer without the barrier between reading and writing.
//
// babycuda: check => racy rw s 18 18
// babycuda: check --block 256 => racy rw s 18 18
// babycuda: check --block 3 => racy rw s 18 18
// babycuda: check --block 2 => drf

__global__ void scan_in_place(const int *in, int *out)
{
    __shared__ int s[1024];
    int tid = threadIdx.x;

    s[tid] = in[tid];
    __syncthreads();

    for (int offset = 1; offset < blockDim.x; offset <<= 1) {
        if (tid >= offset)
            s[tid] += s[tid - offset];
        __syncthreads();
    }

    out[tid] = s[tid];
}
