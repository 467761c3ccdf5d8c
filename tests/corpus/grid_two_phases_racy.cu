// Two phases of a grid, with a barrier of the block between them: the last thread of
// a block reads what the next block stores.
//
// babycuda: check --grid 4 => racy rw a 14 16
// babycuda: check --block 32 --grid 3 => racy rw a 14 16

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void phases(unsigned int *a, unsigned int *b)
{
    cg::grid_group grid = cg::this_grid();
    unsigned int i = grid.thread_rank();
    a[i] = i;
    cg::this_thread_block().sync();
    b[i] = a[i + 1];
}
