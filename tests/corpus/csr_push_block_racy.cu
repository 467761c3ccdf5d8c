// A push with a block for each row: threads whose neighbours are equal add to
// one cell without an atomic update. The counter is converted to `unsigned int`
// and back, so that for some rows it wraps around: how far the loop then goes is
// not followed.
//
// babycuda: check => racy ww rank 14 14 | unknown
// babycuda: check --block 64 --grid 2 => racy ww rank 14 14 | unknown

__global__ void push(const int *row, const int *col, const float *share, float *rank)
{
    float mine = share[blockIdx.x];
    int last = row[blockIdx.x + 1];
    for (int e = row[blockIdx.x] + threadIdx.x; e < last; e += blockDim.x)
        rank[col[e]] += mine;
}
