// Four threads share a row of four numbers, and nothing stands between the stores
// and the loads.
//
// babycuda: check => racy rw row 17 20
// babycuda: check --block 64 => racy rw row 17 20
// babycuda: check --block 4 => racy rw row 17 20

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void row_sums(const int *in, int *out)
{
    __shared__ int row[1024];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<4>(block);
    unsigned int t = block.thread_rank();
    row[t] = in[t];
    unsigned int sum = 0;
    for (unsigned int i = 0; i < tile.num_threads(); i++)
        sum += row[t - tile.thread_rank() + i];
    out[t] = sum;
}
