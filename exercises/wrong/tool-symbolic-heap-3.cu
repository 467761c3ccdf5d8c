// wrong: the technique is wrong about it | symbolic-heap refuses the kernel
__global__ void k(int *a) {
    int t = threadIdx.x;
    a[0] = t;
    atomicAdd(&a[1], 1);
}
