// As labels_rounds.cu without the barrier at the end of a round: the next round
// reads labels that others still copy.
//
// babycuda: check --block 32 => racy rw now 17 20
// babycuda: check --block 4 => racy rw now 17 20

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
    }
    label[v] = now[v];
}
