// A transpose in place: thread (x, y) reads what thread (y, x) writes.
//
// babycuda: assume 0 < n && n <= 16384
// babycuda: assume gridDim.x <= 65535
// babycuda: check => racy rw a 14 14
// babycuda: check --block 16,16 --param n=16 => racy rw a 14 14
// babycuda: check --block 1,1 => drf

__global__ void transpose_in_place(float *a, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n)
        a[x * n + y] = a[y * n + x];
}
