// As permutation.cu, with 7 twice in the table: threads 2 and 6 write one cell.
// The first six are different.
//
// babycuda: check --block 8 => racy ww out 11 11
// babycuda: check --block 6 => drf

__device__ const int order[8] = { 3, 1, 7, 0, 5, 2, 7, 4 };

__global__ void scatter(const float *in, float *out)
{
    out[order[threadIdx.x]] = in[threadIdx.x];
}
