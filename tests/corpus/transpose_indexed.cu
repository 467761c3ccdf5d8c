// A transpose that takes its rows in the order of `order`: each thread writes
// its own cell.
//
// babycuda: check --block 8,8 => drf
// babycuda: check --block 4,8 => drf

__global__ void transpose(const float *in, const int *order, float *out)
{
    unsigned int x = threadIdx.x, y = threadIdx.y;
    out[x * blockDim.y + y] = in[order[y] * blockDim.x + x];
}
