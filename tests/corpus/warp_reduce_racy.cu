// `warp_reduce` with one barrier before the loop only: it trusts lockstep
// execution, and a lane may read a partial sum that another one has not written.
//
// babycuda: check => racy rw s 18 18
// babycuda: check --block 64 => racy rw s 18 18
// babycuda: check --block 1 => drf

__global__ void warp_reduce(const int *in, int *out)
{
    __shared__ int s[1024 + 32];
    unsigned int tid = threadIdx.x;
    unsigned int lane = tid % 32;

    s[tid] = in[tid];
    __syncwarp();
    for (unsigned int d = 16; d > 0; d /= 2) {
        if (lane < d)
            s[tid] += s[tid + d];
    }
    if (lane == 0)
        out[tid / 32] = s[tid];
}
