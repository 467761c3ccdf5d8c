// A tree of sums in each tile of eight threads.
//
// babycuda: check => drf
// babycuda: check --block 40 => drf

#include <cooperative_groups.h>
using namespace cooperative_groups;

__global__ void tree(const unsigned int *in, unsigned int *out)
{
    __shared__ unsigned int s[1024];
    thread_block block = this_thread_block();
    thread_block_tile<8> tile = tiled_partition<8>(block);
    unsigned int t = block.thread_rank();

    s[t] = in[t];
    tile.sync();
    for (unsigned int d = tile.size() / 2; d > 0; d /= 2) {
        if (tile.thread_rank() < d)
            s[t] += s[t + d];
        tile.sync();
    }
    if (tile.thread_rank() == 0)
        out[tile.meta_group_rank()] = s[t];
}
