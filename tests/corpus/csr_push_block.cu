// csr_push_block_racy.cu repaired by an atomic update.
//
// babycuda: check => drf
// babycuda: check --block 64 --grid 2 => drf

__global__ void push(const int *row, const int *col, const float *share, float *rank)
{
    float mine = share[blockIdx.x];
    int last = row[blockIdx.x + 1];
    for (int e = row[blockIdx.x] + threadIdx.x; e < last; e += blockDim.x)
        atomicAdd(&rank[col[e]], mine);
}
