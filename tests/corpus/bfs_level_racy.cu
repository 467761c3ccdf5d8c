// A level of a breadth-first search, by the vertices of the frontier, each with
// a list of at most 8 neighbours: two of them with a neighbour in common both
// write its level. They write the same value, which is a race all the same.
// Which levels are missing is read in an array that the kernel writes, and is not
// looked for.
//
// babycuda: check => racy ww level 19 19 | unknown
// babycuda: check --block 4 --param n=4 --param depth=3 => racy rw level 18 19 | unknown
// babycuda: check --block 4 --param n=0 --param depth=3 => drf

__global__ void expand(const int *degree, const int *neighbour, const int *frontier, int *level,
                       int depth, int n)
{
    int v = threadIdx.x;
    if (v < n && frontier[v] != 0)
        for (int k = 0; k < degree[v] && k < 8; k++) {
            int w = neighbour[8 * v + k];
            if (level[w] < 0)
                level[w] = depth;
        }
}
