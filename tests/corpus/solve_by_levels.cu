// solve_by_levels_racy.cu repaired: the rows of a level read what they need
// before a barrier, and write behind it.
//
// babycuda: check --block 16 => drf
// babycuda: check --block 1 => drf

__global__ void solve(const int *row, const int *col, const float *a, const int *level,
                      const int *levels, float *x)
{
    unsigned int r = threadIdx.x;
    for (int l = 0; l < levels[0]; l++) {
        float rest = x[r];
        if (level[r] == l)
            for (int e = row[r]; e < row[r + 1]; e++)
                rest -= a[e] * x[col[e]];
        __syncthreads();
        if (level[r] == l)
            x[r] = rest;
        __syncthreads();
    }
}
