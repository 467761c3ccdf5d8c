// Coordinates in vectors, which functions take and return.
//
// babycuda: check --block 32,8 => drf
// babycuda: check => drf

__device__ int2 corner(int2 tile, int size)
{
    return make_int2(tile.x * size, tile.y * size);
}

__device__ int place(int2 at)
{
    return at.y * 1024 + at.x;
}

__global__ void fill(float *pixels)
{
    int2 at = corner(make_int2(threadIdx.x, threadIdx.y), 1);
    pixels[place(at)] = 1.0f;
}
