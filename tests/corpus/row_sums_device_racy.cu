// Row sums through `__device__` helpers, two threads a row.
//
// babycuda: check => racy rw sums 15 15
// babycuda: check => racy ww sums 15 15
// babycuda: check --block 64 --param rows=50 --param columns=4 => racy ww sums 15 15
// babycuda: check --block 64 --param rows=50 --param columns=0 => drf

__device__ int cell(int row, int column, int width)
{
    return row * width + column;
}

__device__ void add_to(float *row_sums, int row, float value)
{
    row_sums[row] += value;
}

__global__ void row_sums(const float *a, float *sums, int rows, int columns)
{
    int row = threadIdx.x / 2;
    if (row < rows)
        for (int column = 0; column < columns; column++)
            add_to(sums, row, a[cell(row, column, columns)]);
}
