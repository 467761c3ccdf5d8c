// What one warp says, all warps read, behind a barrier of each warp alone.
//
// babycuda: check => racy rw said 13 15
// babycuda: check --block 64 => racy rw said 13 15
// babycuda: check --block 32 => drf

__global__ void warp_broadcast(const int *in, int *out)
{
    __shared__ int said[1];

    if (threadIdx.x == 0)
        // Only the first warp waits for this.
        said[0] = in[0];
    __syncwarp();
    out[threadIdx.x] = said[0];
}
