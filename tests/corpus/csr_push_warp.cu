// csr_push_warp_racy.cu repaired by an atomic exchange: one of the rows wins.
//
// babycuda: check => drf
// babycuda: check --block 64 => drf

__global__ void push(const int *row, const int *col, unsigned int *mark)
{
    unsigned int lane = threadIdx.x % 32;
    unsigned int v = threadIdx.x / 32;
    for (int e = row[v] + (int)lane; e < row[v + 1]; e += 32)
        atomicExch(&mark[col[e]], v);
}
