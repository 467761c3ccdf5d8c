// Blocks store their sums, and the first thread of the grid adds them up.
//
// babycuda: check --block 8 --grid 4 => drf
// babycuda: check --block 8,2 --grid 2,2 => drf

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ void add_up(const cg::grid_group &grid, unsigned int *part, unsigned int *out)
{
    if (grid.thread_rank() == 0) {
        unsigned int sum = 0;
        for (unsigned int b = 0; b < grid.num_blocks(); b++)
            sum += part[b];
        *out = sum;
    }
}

__global__ void sum(const unsigned int *in, unsigned int *part, unsigned int *out)
{
    __shared__ unsigned int s[1024];
    auto grid = cg::this_grid();
    auto block = cg::this_thread_block();
    s[block.thread_rank()] = in[grid.thread_rank()];
    block.sync();
    if (block.thread_rank() == 0) {
        unsigned int sum = 0;
        for (unsigned int i = 0; i < block.size(); i++)
            sum += s[i];
        part[grid.block_rank()] = sum;
    }
    grid.sync();
    add_up(grid, part, out);
}
