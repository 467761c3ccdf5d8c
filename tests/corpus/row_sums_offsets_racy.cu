// As row_sums_offsets.cu, with the sum where the row starts: an empty row and
// the one behind it start at one place.
//
// babycuda: check => racy ww sum 15 15
// babycuda: check --block 32 --param rows=32 => racy ww sum 15 15
// babycuda: check --block 32 --param rows=1 => drf

__global__ void sums(const int *offset, const float *value, float *sum, int rows)
{
    int r = threadIdx.x;
    if (r < rows) {
        float s = 0.0f;
        for (int i = offset[r]; i < offset[r + 1]; i++)
            s += value[i];
        sum[offset[r]] = s;
    }
}
