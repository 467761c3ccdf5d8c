// The tiled transpose without the barrier between filling the tile and
// reading it back transposed.
//
// babycuda: assume 0 < width && width <= 16384 && 0 < height && height <= 16384
// babycuda: assume gridDim.x <= 65535
// babycuda: check --block 16,16 => racy rw tile 19 24
// babycuda: check --block 16,16 --param width=16 --param height=16 => racy rw tile 19 24
// babycuda: check => racy rw tile 19 24

#define TILE 16

__global__ void transpose_tiled(float *out, const float *in, int width, int height)
{
    __shared__ float tile[TILE][TILE + 1];

    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    if (x < width && y < height)
        tile[threadIdx.y][threadIdx.x] = in[y * width + x];

    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    if (x < height && y < width)
        out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}
