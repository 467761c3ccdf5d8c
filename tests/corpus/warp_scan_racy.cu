// `warp_scan` without the barrier between what lanes read and what they write.
//
// babycuda: check => racy rw s 17 18
// babycuda: check --block 32 => racy rw s 17 18

__global__ void warp_scan(int *a)
{
    __shared__ int s[1024];
    unsigned int tid = threadIdx.x;
    unsigned int lane = tid % 32;

    s[tid] = a[tid];
    __syncwarp();
    for (unsigned int d = 1; d < 32; d *= 2) {
        int left = 0;
        if (lane >= d)
            left = s[tid - d];
        s[tid] += left;
        __syncwarp();
    }
    a[tid] = s[tid];
}
