// Pairs within tiles of eight: a barrier of the pair stands where the whole tile
// should meet.
//
// babycuda: check => racy rw sums 22 27
// babycuda: check --block 24 => racy rw sums 22 27

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void pairs(const unsigned int *in, unsigned int *out)
{
    __shared__ unsigned int s[1024];
    __shared__ unsigned int sums[512];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    auto pair = cg::tiled_partition<2>(tile);
    unsigned int t = block.thread_rank();
    unsigned int first = tile.meta_group_rank() * pair.meta_group_size();
    s[t] = in[t];
    pair.sync();
    if (pair.thread_rank() == 0)
        sums[first + pair.meta_group_rank()] = s[t] + s[t + 1];
    pair.sync();
    if (tile.thread_rank() == 0) {
        unsigned int sum = 0;
        for (unsigned int i = 0; i < pair.meta_group_size(); i++)
            sum += sums[first + i];
        out[tile.meta_group_rank()] = sum;
    }
}
