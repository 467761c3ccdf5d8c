// The first warp works in step while the others go to the barrier of the block.
//
// babycuda: check => drf
// babycuda: check --block 96 => drf

__global__ void specialised(const int *in, int *out)
{
    __shared__ int s[1024];

    if (threadIdx.x / 32 == 0) {
        s[threadIdx.x] = in[threadIdx.x];
        __syncwarp();
        out[threadIdx.x] = s[threadIdx.x ^ 1];
    }
    __syncthreads();
    out[threadIdx.x] = 0;
}
