// Random walks: each thread has a generator of its own, whose state it keeps in a variable.
//
// babycuda: check => drf
// babycuda: check --block 64 --grid 4 => drf

#include <curand_kernel.h>

__global__ void walk(curandState *states, float *ends, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    curandState own = states[i];
    float at = 0.0f;
    for (int step = 0; step < steps; step++)
        at += curand_uniform(&own) - 0.5f;
    states[i] = own;
    ends[i] = at;
}
