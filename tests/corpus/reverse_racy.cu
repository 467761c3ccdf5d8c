// A block reverses its elements in place without a barrier.
//
// babycuda: check => racy rw d 11 11
// babycuda: check --block 64 => racy rw d 11 11
// babycuda: check --block 1 => drf

__global__ void reverse(int *d)
{
    int t = threadIdx.x;
    int r = blockDim.x - t - 1;
    d[t] = d[r];
}
