// As spmv_ell.cu, with the product in the place of the vector: a row reads what
// another writes.
//
// babycuda: check => racy rw x 16 18
// babycuda: check --block 8 --param rows=8 --param width=4 => racy rw x 16 18
// babycuda: check --block 8 --param rows=1 --param width=4 => drf

__global__ void spmv(const int *col, const float *a, float *x, int rows, int width)
{
    int r = threadIdx.x;
    if (r < rows) {
        float sum = 0.0f;
        for (int k = 0; k < width; k++) {
            int c = col[k * rows + r];
            if (c >= 0)
                sum += a[k * rows + r] * x[c];
        }
        x[r] = sum;
    }
}
