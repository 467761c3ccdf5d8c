// degree_count_racy.cu repaired. What a vertex itself has is no shared cell.
//
// babycuda: check => drf
// babycuda: check --block 32 --param n=32 => drf

__global__ void count(const int *row, const int *col, int *in_degree, int *out_degree, int n)
{
    int v = threadIdx.x;
    if (v < n) {
        for (int e = row[v]; e < row[v + 1]; e++)
            atomicAdd(&in_degree[col[e]], 1);
        out_degree[v] = row[v + 1] - row[v];
    }
}
