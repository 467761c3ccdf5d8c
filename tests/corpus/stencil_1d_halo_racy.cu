// The halo is placed by a compile-time block size. Launched with more threads,
// the right halo lands on cells that other threads fill.
//
// babycuda: check --block 128 => drf
// babycuda: check --block 64 => drf
// babycuda: check --block 256 => racy ww temp 21 24
// babycuda: check => racy ww temp 21 24
// babycuda: check -D BLOCK=256 --block 256 => drf

#ifndef BLOCK
#define BLOCK 128
#endif
#define RADIUS 3

__global__ void stencil_1d(const int *in, int *out)
{
    __shared__ int temp[BLOCK + 2 * RADIUS];
    int gindex = threadIdx.x + blockIdx.x * blockDim.x + RADIUS;
    int lindex = threadIdx.x + RADIUS;

    temp[lindex] = in[gindex];
    if (threadIdx.x < RADIUS) {
        temp[lindex - RADIUS] = in[gindex - RADIUS];
        temp[lindex + BLOCK] = in[gindex + BLOCK];
    }
    __syncthreads();

    int result = 0;
    for (int offset = -RADIUS; offset <= RADIUS; offset++)
        result += temp[lindex + offset];
    out[gindex] = result;
}
