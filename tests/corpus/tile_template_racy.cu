// One function for tiles of any size, called with two. Between the calls no barrier
// holds the warp together.
//
// babycuda: check => racy rw s 17 13
// babycuda: check --block 96 => racy rw s 17 13

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

template <unsigned int N>
__device__ unsigned int sum_of(cg::thread_block_tile<N> tile, unsigned int *row, unsigned int x)
{
    row[tile.thread_rank()] = x;
    tile.sync();
    unsigned int sum = 0;
    for (unsigned int i = 0; i < N; i++)
        sum += row[i];
    return sum;
}

__global__ void sums(const unsigned int *in, unsigned int *out)
{
    __shared__ unsigned int s[1024];
    cg::thread_block block = cg::this_thread_block();
    auto four = cg::tiled_partition<4>(block);
    auto warp = cg::tiled_partition<32>(block);
    unsigned int t = block.thread_rank();
    unsigned int small = sum_of(four, s + 4 * four.meta_group_rank(), in[t]);
    out[t] = small + sum_of(warp, s + 32 * warp.meta_group_rank(), in[t]);
}
