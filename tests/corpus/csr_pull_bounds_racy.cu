// A pull in place: a row reads what another row writes.
//
// babycuda: check => racy rw rank 13 14
// babycuda: check --block 32 --param n=32 => racy rw rank 13 14
// babycuda: check --block 32 --param n=1 => drf

__global__ void pull(const int *row, const int *col, float *rank, int n)
{
    int v = threadIdx.x;
    if (v < n) {
        float sum = 0.0f;
        for (int e = row[v]; e < row[v + 1]; e++)
            sum += rank[col[e]];
        rank[v] = sum;
    }
}
