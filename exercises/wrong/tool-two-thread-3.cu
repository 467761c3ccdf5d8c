// wrong: the kernel has no parameters but arrays | `n`
__global__ void k(int *a, int *b, int n) {
    int t = threadIdx.x;
    a[t] = 1;
    __syncthreads();
    b[t] = a[t + n];
}
