// A push with a warp for each row: the lanes take its neighbours in turns. Two
// lanes meet where a neighbour is listed twice, two warps where rows share one.
//
// babycuda: check => racy ww mark 12 12
// babycuda: check --block 64 => racy ww mark 12 12

__global__ void push(const int *row, const int *col, unsigned int *mark)
{
    unsigned int lane = threadIdx.x % 32;
    unsigned int v = threadIdx.x / 32;
    for (int e = row[v] + (int)lane; e < row[v + 1]; e += 32)
        mark[col[e]] = v;
}
