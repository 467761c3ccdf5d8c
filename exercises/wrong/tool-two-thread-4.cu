// wrong: the technique is wrong about it | two-thread refuses the kernel
__global__ void k(int *a, int *b) {
    if (threadIdx.x == 0) b[0] = a[0];
    __syncthreads();
    atomicAdd(&a[0], 1);
}
