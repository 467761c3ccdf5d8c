// As rounds_of_block.cu, with a number of rounds for each thread: the host may
// give two threads different ones.
//
// babycuda: check => divergent
// babycuda: check --block 1 => drf

__global__ void rounds(const int *count, float *data)
{
    int n = count[threadIdx.x];
    for (int i = 0; i < n; i++) {
        data[threadIdx.x] = i;
        __syncthreads();
    }
}
