// spmv_csr_transposed_racy.cu repaired by atomic updates.
//
// babycuda: check => drf
// babycuda: check --block 32 --grid 2 --param rows=64 => drf

__global__ void spmv(const int *row, const int *col, const float *a, const float *x, float *y,
                     int rows)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        int e = row[r];
        while (e < row[r + 1]) {
            atomicAdd(&y[col[e]], a[e] * x[r]);
            e++;
        }
    }
}
