// A gather through an index array: each thread writes its own cell, whatever
// `index` holds.
//
// babycuda: check => drf
// babycuda: check --block 32 --grid 4 --param n=100 => drf

__global__ void gather(const float *in, const int *index, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[index[i]];
}
