// A list in shared memory. One thread empties it, and only its tile waits for that: the
// first thread of another may have taken a slot by then.
//
// babycuda: check --block 32 => racy at count 19 24
// babycuda: check --block 64 => racy at count 19 24

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
    tile.sync();
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
