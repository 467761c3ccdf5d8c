// As levels_of_block.cu with a number of levels for each thread: two threads
// may have different ones.
//
// babycuda: check => divergent
// babycuda: check --block 64 => divergent
// babycuda: check --block 1 => drf

__global__ void levels(const int *count, float *data)
{
    unsigned int t = threadIdx.x;
    for (int l = 0; l < count[t]; l++) {
        data[t] += 1.0f;
        __syncthreads();
    }
}
