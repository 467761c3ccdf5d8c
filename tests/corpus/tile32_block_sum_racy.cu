// A sum of a block in two levels, where a barrier of the tile stands for one of the
// block before the second.
//
// babycuda: check --block 128 => racy rw part 23 29
// babycuda: check --block 32 => drf

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
    cg::sync(tile);
    if (t == 0) {
        unsigned int sum = 0;
        for (unsigned int i = 0; i < tile.meta_group_size(); i++)
            sum += part[i];
        out[0] = sum;
    }
}
