// Four threads share a row of four numbers: each stores one and adds up all, behind
// a barrier of their tile.
//
// babycuda: check => drf
// babycuda: check --block 64 => drf

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void row_sums(const int *in, int *out)
{
    __shared__ int row[1024];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<4>(block);
    unsigned int t = block.thread_rank();
    unsigned int first = t - tile.thread_rank();

    row[t] = in[t];
    tile.sync();
    unsigned int sum = 0;
    for (unsigned int i = 0; i < tile.size(); i++)
        sum += row[first + i];
    out[t] = sum;
}
