// Rounds of label propagation in one block: two buffers in shared memory, and a
// barrier behind each round. How many rounds there are is read in each.
//
// babycuda: check --block 32 => drf
// babycuda: check --block 4 => drf

__global__ void rounds(const int *row, const int *col, int *label, const int *limit)
{
    __shared__ int now[1024];
    __shared__ int next[1024];
    unsigned int v = threadIdx.x;
    now[v] = label[v];
    __syncthreads();
    for (int round = 0; round < limit[0]; round++) {
        int least = now[v];
        for (int e = row[v]; e < row[v + 1]; e++)
            least = min(least, now[(unsigned int)col[e] % blockDim.x]);
        next[v] = least;
        __syncthreads();
        now[v] = next[v];
        __syncthreads();
    }
    label[v] = now[v];
}
