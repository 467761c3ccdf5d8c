// A list in shared memory. One thread empties it, and behind a barrier the first thread
// of each tile takes a slot for the sum of its tile.
//
// babycuda: check --block 32 => drf
// babycuda: check --block 64 => drf

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void collect(const int *in, int *out)
{
    __shared__ unsigned int count;
    __shared__ unsigned int list[256];
    __shared__ unsigned int s[1024];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<4> tile = cg::tiled_partition<4>(block);
    unsigned int t = block.thread_rank();
    if (t == 0)
        count = 0;
    block.sync();
    s[t] = in[t];
    tile.sync();
    if (tile.thread_rank() == 0) {
        unsigned int slot = atomicAdd(&count, 1u);
        list[slot] = s[t] + s[t + 1] + s[t + 2] + s[t + 3];
    }
    block.sync();
    if (t < count)
        out[t] = list[t];
}
