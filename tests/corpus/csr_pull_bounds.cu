// A pull with the end of a row read in each round: each row reads what its
// neighbours had and writes its own cell.
//
// babycuda: check => drf
// babycuda: check --block 32 --grid 2 --param n=50 => drf

__global__ void pull(const int *row, const int *col, const float *in, float *out, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n) {
        float sum = 0.0f;
        for (int e = row[v]; e < row[v + 1]; e++)
            sum += in[col[e]];
        out[v] = sum;
    }
}
