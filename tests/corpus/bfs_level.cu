// bfs_level_racy.cu repaired: who finds a vertex without a level gives it one,
// in one atomic step.
//
// babycuda: check => drf
// babycuda: check --block 4 --param n=4 --param depth=3 => drf

__global__ void expand(const int *degree, const int *neighbour, const int *frontier, int *level,
                       int depth, int n)
{
    int v = threadIdx.x;
    if (v < n && frontier[v] != 0)
        for (int k = 0; k < degree[v] && k < 8; k++)
            atomicCAS(&level[neighbour[8 * v + k]], -1, depth);
}
