// As csr_push_racy.cu, with the end of a row read in each round, as graph codes
// have it: two rows with a neighbour in common write its cell.
//
// babycuda: check => racy ww mark 13 13
// babycuda: check --block 32 --param n=32 => racy ww mark 13 13
// babycuda: check --block 32 --param n=1 => drf

__global__ void push(const int *row, const int *col, int *mark, int n)
{
    int v = threadIdx.x;
    if (v < n)
        for (int e = row[v]; e < row[v + 1]; e++)
            mark[col[e]] = v;
}
