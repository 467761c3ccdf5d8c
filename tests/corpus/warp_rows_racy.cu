// In a block of 24 x 8 a row is no warp, since warps are cut from the linear index.
//
// babycuda: check --block 24,8 => racy rw row 10 12
// babycuda: check --block 32,1 => drf

__global__ void warp_rows(const int *in, int *out)
{
    __shared__ int row[8][24];

    row[threadIdx.y][threadIdx.x] = in[threadIdx.y * 24 + threadIdx.x];
    __syncwarp();
    out[threadIdx.y * 24 + threadIdx.x] = row[threadIdx.y][23 - threadIdx.x];
}
