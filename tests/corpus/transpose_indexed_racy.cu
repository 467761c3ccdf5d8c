// As transpose_indexed.cu, with the columns of the result in the order of
// `order`: two rows may come to one column.
//
// babycuda: check --block 8,8 => racy ww out 11 11
// babycuda: check --block 4,2 => racy ww out 11 11
// babycuda: check --block 8,1 => drf

__global__ void transpose(const float *in, const int *order, float *out)
{
    unsigned int x = threadIdx.x, y = threadIdx.y;
    out[x * blockDim.y + order[y]] = in[y * blockDim.x + x];
}
