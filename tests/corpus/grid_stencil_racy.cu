// A stencil in steps that lacks the barrier behind its second half: the next step
// reads what a neighbour may not have stored yet.
//
// babycuda: assume steps < 1000
// babycuda: check --block 32 --grid 1 => racy rw a 16 18
// babycuda: check --block 32 --grid 3 --param steps=4 => racy rw a 16 18

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void stencil(float *a, float *b, unsigned int steps)
{
    cg::grid_group grid = cg::this_grid();
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    for (unsigned int s = 0; s < steps; s++) {
        b[i] = a[i - 1] + a[i] + a[i + 1];
        grid.sync();
        a[i] = b[i - 1] + b[i] + b[i + 1];
    }
}
