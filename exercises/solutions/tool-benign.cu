__global__ void k(int *a) {
    int t = threadIdx.x;
    a[t / 2] = 7;
}
