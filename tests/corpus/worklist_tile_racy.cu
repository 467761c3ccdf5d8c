// The first thread of each tile takes one slot of the list, and fills four.
//
// babycuda: check --block 32 --grid 16 => racy ww list 20 20
// babycuda: check --block 64 --grid 1 => racy ww list 20 20

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void push(const int *in, unsigned int *count, int *list)
{
    __shared__ int found[1024];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<4> tile = cg::tiled_partition<4>(block);
    unsigned int t = block.thread_rank();
    found[t] = in[t];
    tile.sync();
    if (tile.thread_rank() == 0) {
        unsigned int slot = atomicAdd(count, 1u);
        for (unsigned int i = 0; i < tile.size(); i++)
            list[slot + i] = found[t + i];
    }
}
