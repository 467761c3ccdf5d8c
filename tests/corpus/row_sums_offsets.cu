// Sums of rows of different lengths: a row for each thread, its sum at its
// number.
//
// babycuda: check => drf
// babycuda: check --block 32 --param rows=32 => drf

__global__ void sums(const int *offset, const float *value, float *sum, int rows)
{
    int r = threadIdx.x;
    if (r < rows) {
        float s = 0.0f;
        for (int i = offset[r]; i < offset[r + 1]; i++)
            s += value[i];
        sum[r] = s;
    }
}
