// The largest of sixteen numbers comes to all threads of a tile by doubling
// distances, with a barrier before and behind each store.
//
// babycuda: check => drf
// babycuda: check --block 48 => drf

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void maximum(int *a)
{
    __shared__ int s[1024];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
    unsigned int t = block.thread_rank();
    unsigned int lane = tile.thread_rank();

    s[t] = a[t];
    for (unsigned int d = 1; d < 16; d *= 2) {
        tile.sync();
        int other = s[t - lane + (lane + d) % 16];
        tile.sync();
        s[t] = max(s[t], other);
    }
    a[t] = s[t];
}
