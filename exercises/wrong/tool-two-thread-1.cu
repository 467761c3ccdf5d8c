// wrong: what is true of the kernel | it is racy
__global__ void k(int *a, int *b) {
    int t = threadIdx.x;
    a[t] = 1;
    b[t] = a[t + 1];
}
