// csr_push_bounds_racy.cu repaired: the smallest of the rows is kept, by an
// atomic update.
//
// babycuda: check => drf
// babycuda: check --block 32 --param n=32 => drf

__global__ void push(const int *row, const int *col, int *mark, int n)
{
    int v = threadIdx.x;
    if (v < n)
        for (int e = row[v]; e < row[v + 1]; e++)
            atomicMin(&mark[col[e]], v);
}
