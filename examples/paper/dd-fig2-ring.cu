// place: DD, Fig. 2, with a neighbour that is a thread
// paper: See `dd-fig2.cl`.
// expect: compare --block 2 => 1 | symbolic-heap             drf | misses a race | symbolic-heap-two-threads racy
// why: As the paper says: its rules forget the branch in which g becomes 1, and two threads find it.
__global__ void ring(int *A, int *g) {
    int tid = threadIdx.x;
    g[0] = 0;
    A[tid] = 0;
    __syncthreads();
    A[tid] = 1;
    if (A[(tid + 1) % 2] == 0) {
        g[0] = 1;
    }
    __syncthreads();
}
