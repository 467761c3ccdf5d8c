// places_staged_racy.cu repaired: what falls on one place is added up by atomic
// updates.
//
// babycuda: check --block 8 => drf
// babycuda: check => drf

__global__ void scatter(const int *place, const float *in, float *out)
{
    __shared__ int s[1024];
    s[threadIdx.x] = place[threadIdx.x];
    __syncthreads();
    atomicAdd(&out[s[blockDim.x - 1 - threadIdx.x]], in[threadIdx.x]);
}
