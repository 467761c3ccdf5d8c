// As csr_rows_of_thread.cu, of any list: rows that decrease may overlap.
//
// babycuda: check => racy ww value 14 14
// babycuda: check --block 32 --param n=32 => racy ww value 14 14 | unknown
// babycuda: check --block 4 --grid 2 --param n=8 => racy ww value 14 14 | unknown

__global__ void scale(const int *row, const float *factor, float *value, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n) {
        int first = row[v];
        int last = row[v + 1];
        for (int e = first; e < last; e++)
            value[e] *= factor[v];
    }
}
