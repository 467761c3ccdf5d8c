// A sparse matrix times a vector, rows compressed: a row for each thread of a
// grid.
//
// babycuda: check => drf
// babycuda: check --block 32 --grid 2 --param rows=64 => drf

__global__ void spmv(const int *row, const int *col, const float *a, const float *x, float *y,
                     int rows)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        float sum = 0.0f;
        int e = row[r];
        while (e < row[r + 1]) {
            sum += a[e] * x[col[e]];
            e++;
        }
        y[r] = sum;
    }
}
