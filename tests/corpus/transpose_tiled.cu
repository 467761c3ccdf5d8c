// Matrix transpose through a padded shared tile. The tile fits a 16 by 16
// block; in a wider block its rows run into each other.
//
// babycuda: assume 0 < width && width <= 16384 && 0 < height && height <= 16384
// babycuda: assume gridDim.x <= 65535
// babycuda: check --block 16,16 => drf
// babycuda: check --block 16,16 --grid 4,4 --param width=50 --param height=60 => drf
// babycuda: check => racy ww tile 19 19

#define TILE 16

__global__ void transpose_tiled(float *out, const float *in, int width, int height)
{
    __shared__ float tile[TILE][TILE + 1];

    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    if (x < width && y < height)
        tile[threadIdx.y][threadIdx.x] = in[y * width + x];

    __syncthreads();

    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    if (x < height && y < width)
        out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}
