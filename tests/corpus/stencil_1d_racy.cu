// The one-dimensional stencil without its barrier.
//
// babycuda: check => racy rw temp 17 25
// babycuda: check --block 128 => racy rw temp 17 25
// babycuda: check --block 128 => racy rw temp 19 25
// babycuda: check --block 1 => drf

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

    int result = 0;
    for (int offset = -RADIUS; offset <= RADIUS; offset++)
        result += temp[lindex + offset];
    out[gindex] = result;
}
