// The first lane of each warp tells the others what it found.
//
// babycuda: check => drf
// babycuda: check --block 100 => drf

__global__ void warp_broadcast(const int *in, int *out)
{
    __shared__ int said[32];
    unsigned int warp = threadIdx.x / 32;

    if (threadIdx.x % 32 == 0)
        said[warp] = in[warp];
    __syncwarp();
    out[threadIdx.x] = said[warp];
}
