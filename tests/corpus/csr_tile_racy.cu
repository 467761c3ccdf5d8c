// A tile of eight threads for each row. Each lane adds its neighbour's sum to its own,
// and stores it where another lane still reads.
//
// babycuda: check --block 64 => racy rw part 21 22
// babycuda: check --block 32 => racy rw part 21 22

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void pull(const int *row, const int *col, const float *in, float *part)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    unsigned int v = tile.meta_group_rank();
    unsigned int lane = tile.thread_rank();
    float sum = 0.0f;
    for (int e = row[v] + (int)lane; e < row[v + 1]; e += 8)
        sum += in[col[e]];
    part[block.thread_rank()] = sum;
    tile.sync();
    sum += part[8 * v + (lane + 1) % 8];
    part[8 * v + lane] = sum;
}
