// A scan in two levels, where blocks read the sums of others without a barrier of the
// grid before.
//
// babycuda: check --block 8 --grid 4 => racy rw sums 23 26
// babycuda: check --block 16 --grid 3 => racy rw sums 23 26

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void scan(const unsigned int *in, unsigned int *out, unsigned int *sums)
{
    __shared__ unsigned int s[1024];
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    unsigned int t = block.thread_rank();
    unsigned int i = grid.thread_rank();
    s[t] = in[i];
    block.sync();
    unsigned int sum = 0;
    for (unsigned int j = 0; j <= t; j++)
        sum += s[j];
    if (t == block.size() - 1)
        sums[grid.block_rank()] = sum;
    block.sync();
    for (unsigned int b = 0; b < blockIdx.x; b++)
        sum += sums[b];
    out[i] = sum;
}
