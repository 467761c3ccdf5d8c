// A sparse matrix times a vector, an entry for each thread: entries of one row
// add to one cell.
//
// babycuda: check => racy rw y 14 14
// babycuda: check => racy ww y 14 14
// babycuda: check --block 32 --grid 2 --param m=64 => racy ww y 14 14
// babycuda: check --block 32 --param m=1 => drf

__global__ void spmv(const int *row, const int *col, const float *a, const float *x, float *y,
                     int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m)
        y[row[i]] += a[i] * x[col[i]];
}
