// In a block of 32 x 8 a warp is a row: barriers of warps suffice for rows.
//
// babycuda: check --block 32,8 => drf
// babycuda: check --block 32,3 => drf

__global__ void warp_rows(const int *in, int *out)
{
    __shared__ int row[8][32];

    row[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncwarp();
    out[threadIdx.y * 32 + threadIdx.x] = row[threadIdx.y][31 - threadIdx.x];
}
