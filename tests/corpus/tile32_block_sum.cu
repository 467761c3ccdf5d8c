// A sum of a block in two levels: the first thread of each tile of 32 adds up its
// tile, and one thread the tiles.
//
// babycuda: check --block 128 => drf
// babycuda: check --block 32 => drf
// babycuda: check --block 8,16 => drf

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void block_sum(const unsigned int *in, unsigned int *out)
{
    __shared__ unsigned int s[1024];
    __shared__ unsigned int part[32];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
    unsigned int t = block.thread_rank();

    s[t] = in[t];
    cg::sync(tile);
    if (tile.thread_rank() == 0) {
        unsigned int sum = 0;
        for (unsigned int i = 0; i < 32; i++)
            sum += s[t + i];
        part[tile.meta_group_rank()] = sum;
    }
    cg::sync(block);
    if (t == 0) {
        unsigned int sum = 0;
        for (unsigned int i = 0; i < tile.meta_group_size(); i++)
            sum += part[i];
        out[0] = sum;
    }
}
