// A tile of eight threads for each row: its lanes' sums meet in shared memory, and the
// first lane adds them up.
//
// babycuda: check --block 64 => drf
// babycuda: check --block 32 => drf

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void pull(const int *row, const int *col, const float *in, float *out)
{
    __shared__ float part[1024];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    unsigned int v = tile.meta_group_rank();
    float sum = 0.0f;
    for (int e = row[v] + (int)tile.thread_rank(); e < row[v + 1]; e += 8)
        sum += in[col[e]];
    part[block.thread_rank()] = sum;
    tile.sync();
    if (tile.thread_rank() == 0) {
        for (unsigned int i = 1; i < tile.size(); i++)
            sum += part[block.thread_rank() + i];
        out[v] = sum;
    }
}
