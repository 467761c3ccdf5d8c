// The first thread of each tile takes slots for all, and the others read which without
// a barrier before.
//
// babycuda: check --block 32 => racy rw base 16 17
// babycuda: check --block 4 => racy rw base 16 17

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void push(const int *in, unsigned int *count, int *list)
{
    __shared__ unsigned int base[256];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<4> tile = cg::tiled_partition<4>(block);
    if (tile.thread_rank() == 0)
        base[tile.meta_group_rank()] = atomicAdd(count, tile.size());
    list[base[tile.meta_group_rank()] + tile.thread_rank()] = in[block.thread_rank()];
}
