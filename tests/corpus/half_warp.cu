// Half of a warp comes to its barrier, and the rest has ended: CUDA does not wait
// for those.
//
// babycuda: check --block 64 => drf | unknown
// babycuda: check --block 16 => drf

__global__ void half_warp(int *a)
{
    if (threadIdx.x < 16) {
        a[threadIdx.x] = 1;
        __syncwarp();
        a[threadIdx.x + 1] = 2;
    }
}
