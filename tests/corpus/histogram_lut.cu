// histogram_lut_racy.cu repaired: the counts of a block are updated atomically
// in shared memory, and added to those of the grid behind a barrier.
//
// babycuda: check --block 64 => drf
// babycuda: check --block 64 --grid 2 => drf

__global__ void classes(const unsigned char *in, const int *class_of, int *bins)
{
    __shared__ int own[64];
    unsigned int t = threadIdx.x;
    own[t] = 0;
    __syncthreads();
    atomicAdd(&own[class_of[in[blockIdx.x * blockDim.x + t]] & 63], 1);
    __syncthreads();
    atomicAdd(&bins[t], own[t]);
}
