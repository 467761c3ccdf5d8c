// The row counts twice, and the column not at all.
//
// babycuda: check --block 32,8 => racy ww pixels 14 14
// babycuda: check --block 1,8 => drf

__device__ int place(int2 at)
{
    return at.y * 64 + at.y;
}

__global__ void fill(float *pixels)
{
    int2 at = make_int2(threadIdx.x, threadIdx.y);
    pixels[place(at)] = threadIdx.x;
}
