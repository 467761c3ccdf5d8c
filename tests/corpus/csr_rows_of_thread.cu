// A row of a sparse matrix for each thread, scaled in place. The rows of a list
// that does not decrease do not overlap.
//
// babycuda: assume forall i in 0..n: forall j in i..n: row[i] <= row[j]
// babycuda: check => drf
// babycuda: check --block 32 --param n=32 => drf
// babycuda: check --block 4 --grid 2 --param n=8 => drf

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
