// The limits of `row` are the same in every round, and those of `seen` where the loop leaves them.
__global__ void kernel(const int *row, const int *col, int *seen, int *out, int n)
{
    int v = threadIdx.x;
    for (int e = row[v]; e < row[v + 1]; e++)
        out[col[e]] = v;
    for (int i = 0; i < row[col[n]]; i++) {
        out[i] = v;
        __syncthreads();
    }
    for (int i = 0, j = 0; i < row[j]; i++)
        j = col[i];
    for (int i = 0; i < seen[v]; i++)
        out[i] = 1;
    for (int i = 0; i < seen[v]; i++)
        seen[i] = 1;
}
