// wrong: what is true of the kernel | it is drf
__global__ void k(int *a) {
    a[threadIdx.x] = 7;
}
