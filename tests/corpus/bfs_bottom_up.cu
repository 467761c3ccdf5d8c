// A level of a breadth-first search from below: a vertex without a level looks
// for a neighbour in the frontier, and writes its own cell.
//
// babycuda: check => drf
// babycuda: check --block 16 --param n=16 --param depth=3 => drf

__global__ void expand(const int *row, const int *col, const int *frontier, int *level, int depth,
                       int n)
{
    int v = threadIdx.x;
    if (v < n && level[v] < 0)
        for (int e = row[v]; e < row[v + 1]; e++)
            if (frontier[col[e]] != 0)
                level[v] = depth;
}
