// One-dimensional stencil through a shared tile with a halo on both sides.
//
// babycuda: check => drf
// babycuda: check --block 128 --grid 4 => drf

#define RADIUS 3
#define MAX_BLOCK 1024

__global__ void stencil_1d(const int *in, int *out)
{
    __shared__ int temp[MAX_BLOCK + 2 * RADIUS];
    int gindex = threadIdx.x + blockIdx.x * blockDim.x + RADIUS;
    int lindex = threadIdx.x + RADIUS;

    temp[lindex] = in[gindex];
    if (threadIdx.x < RADIUS) {
        temp[lindex - RADIUS] = in[gindex - RADIUS];
        temp[lindex + blockDim.x] = in[gindex + blockDim.x];
    }
    __syncthreads();

    int result = 0;
    for (int offset = -RADIUS; offset <= RADIUS; offset++)
        result += temp[lindex + offset];
    out[gindex] = result;
}
