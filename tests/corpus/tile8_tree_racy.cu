// A tree of sums over eight threads, in step at barriers of four: the first step
// reads what the other four store.
//
// babycuda: check => racy rw s 18 22
// babycuda: check --block 40 => racy rw s 18 22

#include <cooperative_groups.h>
using namespace cooperative_groups;

__global__ void tree(const unsigned int *in, unsigned int *out)
{
    __shared__ unsigned int s[1024];
    thread_block block = this_thread_block();
    thread_block_tile<4> tile = tiled_partition<4>(block);
    unsigned int t = block.thread_rank();
    unsigned int lane = t % 8;

    s[t] = in[t];
    tile.sync();
    for (unsigned int d = 4; d > 0; d /= 2) {
        if (lane < d)
            s[t] += s[t + d];
        tile.sync();
    }
    if (lane == 0)
        out[t / 8] = s[t];
}
