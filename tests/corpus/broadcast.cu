// Thread 0 loads a factor for the whole block.
//
// babycuda: check => drf
// babycuda: check --block 256 --grid 4 => drf

__global__ void scale(float *data, const float *factors)
{
    __shared__ float factor;
    if (threadIdx.x == 0)
        factor = factors[blockIdx.x];
    __syncthreads();
    data[blockIdx.x * blockDim.x + threadIdx.x] *= factor;
}
