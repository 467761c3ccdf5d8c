// The transposed matrix of spmv_csr.cu times a vector, by rows all the same:
// rows with a column in common add to one cell.
//
// babycuda: check => racy ww y 14 14
// babycuda: check --block 32 --param rows=32 => racy ww y 14 14

__global__ void spmv(const int *row, const int *col, const float *a, const float *x, float *y,
                     int rows)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        int e = row[r];
        while (e < row[r + 1]) {
            y[col[e]] += a[e] * x[r];
            e++;
        }
    }
}
