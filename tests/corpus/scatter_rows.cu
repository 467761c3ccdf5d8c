// scatter_rows_racy.cu repaired: each block gathers the row that comes to its
// place.
//
// babycuda: check --block 8 --grid 4 => drf
// babycuda: check --block 8 --grid 1 => drf

__global__ void rows(const float *in, const int *source, float *out)
{
    int from = source[blockIdx.x] * (int)blockDim.x + (int)threadIdx.x;
    int to = blockIdx.x * blockDim.x + threadIdx.x;
    out[to] = in[from];
}
