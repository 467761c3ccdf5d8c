// Row sums through `__device__` helpers.
//
// babycuda: check => drf
// babycuda: check --block 64 --param rows=50 --param columns=4 => drf

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
    int row = threadIdx.x;
    if (row < rows)
        for (int column = 0; column < columns; column++)
            add_to(sums, row, a[cell(row, column, columns)]);
}
