// As bfs_bottom_up.cu with lists of 8 neighbours, and with the frontier kept in
// the levels: a vertex reads a level that another may be writing. Whether it
// writes rests on that level.
//
// babycuda: check --block 4 --param n=4 --param depth=3 => racy rw level 13 14 | unknown
// babycuda: check --block 4 --param n=1 --param depth=3 => drf

__global__ void expand(const int *neighbour, int *level, int depth, int n)
{
    int v = threadIdx.x;
    if (v < n && level[v] < 0)
        for (int k = 0; k < 8; k++)
            if (level[neighbour[8 * v + k]] == depth - 1)
                level[v] = depth;
}
