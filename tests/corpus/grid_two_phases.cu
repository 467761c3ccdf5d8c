// Two phases of a grid: each thread stores a number, and behind a barrier of the grid
// it reads that of the next.
//
// babycuda: check --grid 4 => drf
// babycuda: check --block 32 --grid 3 => drf

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void phases(unsigned int *a, unsigned int *b)
{
    cg::grid_group grid = cg::this_grid();
    unsigned int i = grid.thread_rank();
    a[i] = i;
    grid.sync();
    b[i] = a[i + 1];
}
