// Rows are copied to where `index` says, a column for each thread, all rows by
// each block: blocks of one grid write the same row where two indices are equal.
//
// babycuda: check --block 8 --grid 4 => racy ww out 11 11
// babycuda: check --block 8 --grid 1 => drf

__global__ void rows(const float *in, const int *index, float *out)
{
    int from = blockIdx.x * blockDim.x + threadIdx.x;
    int to = index[blockIdx.x] * (int)blockDim.x + (int)threadIdx.x;
    out[to] = in[from];
}
