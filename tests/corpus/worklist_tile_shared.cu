// The first thread of each tile takes slots for all, and tells them by shared memory:
// which cells they are is what the counter gave, as far as a checker follows that.
//
// babycuda: check --block 32 => drf | unknown
// babycuda: check --block 4 => drf | unknown

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void push(const int *in, unsigned int *count, int *list)
{
    __shared__ unsigned int base[256];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<4> tile = cg::tiled_partition<4>(block);
    if (tile.thread_rank() == 0)
        base[tile.meta_group_rank()] = atomicAdd(count, tile.size());
    tile.sync();
    list[base[tile.meta_group_rank()] + tile.thread_rank()] = in[block.thread_rank()];
}
