// A triangular system, level by level: what a row needs is of an earlier level
// only if the host says so, and nothing here does.
//
// babycuda: check --block 16 => racy rw x 15 16
// babycuda: check --block 1 => drf

__global__ void solve(const int *row, const int *col, const float *a, const int *level,
                      const int *levels, float *x)
{
    unsigned int r = threadIdx.x;
    for (int l = 0; l < levels[0]; l++) {
        if (level[r] == l) {
            float rest = x[r];
            for (int e = row[r]; e < row[r + 1]; e++)
                rest -= a[e] * x[col[e]];
            x[r] = rest;
        }
        __syncthreads();
    }
}
