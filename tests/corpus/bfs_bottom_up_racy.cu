// As bfs_bottom_up.cu with the frontier kept in the levels: a vertex reads a
// level that another may be writing. Whether it writes rests on that level.
//
// babycuda: check --block 4 --param n=4 --param depth=3 => racy rw level 12 13 | unknown
// babycuda: check --block 4 --param n=1 --param depth=3 => drf

__global__ void expand(const int *row, const int *col, int *level, int depth, int n)
{
    int v = threadIdx.x;
    if (v < n && level[v] < 0)
        for (int e = row[v]; e < row[v + 1]; e++)
            if (level[col[e]] == depth - 1)
                level[v] = depth;
}
