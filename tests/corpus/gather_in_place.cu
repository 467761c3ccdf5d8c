// gather_in_place_racy.cu repaired: all read, then all write.
//
// babycuda: check => drf
// babycuda: check --block 32 => drf

__global__ void gather(float *data, const int *index)
{
    float mine = data[index[threadIdx.x]];
    __syncthreads();
    data[threadIdx.x] = mine;
}
