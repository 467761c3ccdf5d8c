// A scatter by a permutation that the program declares: no two threads write
// one cell.
//
// babycuda: check --block 8 => drf
// babycuda: check --block 4 => drf

__device__ const int order[8] = { 3, 1, 7, 0, 5, 2, 6, 4 };

__global__ void scatter(const float *in, float *out)
{
    out[order[threadIdx.x]] = in[threadIdx.x];
}
