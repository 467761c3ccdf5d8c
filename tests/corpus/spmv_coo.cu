// spmv_coo_racy.cu repaired by an atomic update.
//
// babycuda: check => drf
// babycuda: check --block 32 --grid 2 --param m=64 => drf

__global__ void spmv(const int *row, const int *col, const float *a, const float *x, float *y,
                     int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m)
        atomicAdd(&y[row[i]], a[i] * x[col[i]]);
}
