// wrong: what is true of the kernel | it is drf
__global__ void k(int *a) {
    int t = threadIdx.x;
    a[t] = a[t] + t;
}
