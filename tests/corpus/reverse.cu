// A block reverses its elements through shared memory.
//
// babycuda: check => drf
// babycuda: check --block 64 => drf

__global__ void reverse(int *d)
{
    __shared__ int s[1024];
    int t = threadIdx.x;
    int r = blockDim.x - t - 1;

    s[t] = d[t];
    __syncthreads();
    d[t] = s[r];
}
