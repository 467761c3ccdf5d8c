// How often each vertex is a neighbour, counted without atomic updates.
//
// babycuda: check => racy rw degree 13 13
// babycuda: check => racy ww degree 13 13
// babycuda: check --block 32 --param n=32 => racy ww degree 13 13
// babycuda: check --block 32 --param n=1 => drf

__global__ void count(const int *row, const int *col, int *degree, int n)
{
    int v = threadIdx.x;
    if (v < n)
        for (int e = row[v]; e < row[v + 1]; e++)
            degree[col[e]]++;
}
