// A tile of 16 threads for each row: all lanes store the sum.
//
// babycuda: check --block 64 => racy ww y 18 18
// babycuda: check --block 32,2 => racy ww y 18 18

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void multiply(const int *row, const int *col, const float *a, const float *x, float *y)
{
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    unsigned int v = tile.meta_group_rank();
    float sum = 0.0f;
    for (int e = row[v] + (int)tile.thread_rank(); e < row[v + 1]; e += (int)tile.size())
        sum += a[e] * x[col[e]];
    for (unsigned int d = tile.size() / 2; d > 0; d /= 2)
        sum += tile.shfl_down(sum, d);
    y[v] = sum;
}
