// Random walks: all threads of a block draw from one generator.
//
// babycuda: check --grid 1 => racy ww states 12 12
// babycuda: check --block 64 --grid 4 => racy ww states 12 12
// babycuda: check --block 1 --grid 1 => drf

#include <curand_kernel.h>

__global__ void walk(curandState *states, float *ends)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    ends[i] = curand_uniform(&states[blockIdx.x]);
}
