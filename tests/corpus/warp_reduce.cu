// Each warp adds its numbers in shared memory, in step at barriers of the warp.
//
// babycuda: check => drf
// babycuda: check --block 64 => drf
// babycuda: check --block 48 => drf

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
        __syncwarp();
    }
    if (lane == 0)
        out[tid / 32] = s[tid];
}
