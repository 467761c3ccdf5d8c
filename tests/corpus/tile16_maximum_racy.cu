// The distances do not wrap around in the tile: the last threads read what the next
// tile stores.
//
// babycuda: check => racy rw s 17 20
// babycuda: check --block 48 => racy rw s 17 20
// babycuda: check --block 16 => drf

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void maximum(int *a)
{
    __shared__ int s[1024 + 8];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
    unsigned int t = block.thread_rank();
    s[t] = a[t];
    for (unsigned int d = 1; d < 16; d *= 2) {
        tile.sync();
        int other = s[t + d];
        tile.sync();
        s[t] = max(s[t], other);
    }
    a[t] = s[t];
}
