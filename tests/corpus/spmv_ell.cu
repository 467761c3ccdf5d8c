// A sparse matrix times a vector, all rows of one length, column by column. A
// negative column is padding.
//
// babycuda: check => drf
// babycuda: check --block 32 --param rows=32 --param width=4 => drf

__global__ void spmv(const int *col, const float *a, const float *x, float *y, int rows, int width)
{
    int r = threadIdx.x;
    if (r < rows) {
        float sum = 0.0f;
        for (int k = 0; k < width; k++) {
            int c = col[k * rows + r];
            if (c >= 0)
                sum += a[k * rows + r] * x[c];
        }
        y[r] = sum;
    }
}
