// The block does not wait for the factor that thread 0 loads.
//
// babycuda: check => racy rw factor 11 12
// babycuda: check --block 256 => racy rw factor 11 12
// babycuda: check --block 1 => drf

__global__ void scale(float *data, const float *factors)
{
    __shared__ float factor;
    if (threadIdx.x == 0)
        factor = factors[blockIdx.x];
    data[blockIdx.x * blockDim.x + threadIdx.x] *= factor;
}
