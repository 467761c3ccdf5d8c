// Warps past the end have nothing to do and return: all lanes of a warp alike, so that
// the others' barriers hold.
//
// babycuda: check --block 128 => drf
// babycuda: check --block 128 --param rows=2 => drf

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void sums(const int *in, int *out, unsigned int rows)
{
    __shared__ int s[1024 + 1];
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    unsigned int t = block.thread_rank();
    if (warp.meta_group_rank() >= rows)
        return;
    s[t] = in[t];
    __syncwarp();
    if (warp.thread_rank() % 2 == 0)
        out[t / 2] = s[t + 1];
}
