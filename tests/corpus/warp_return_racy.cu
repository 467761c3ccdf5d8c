// Warps past the end return, and the others have barriers of their own. Across warps these
// order nothing: the last lane reads what the next warp stores.
//
// babycuda: check --block 128 --param rows=4 => racy rw s 18 20
// babycuda: check --block 64 --param rows=4 => racy rw s 18 20

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
    out[t] = s[t + 1];
}
