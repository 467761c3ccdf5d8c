__global__ void k(int *a) {
    int t = threadIdx.x;
    a[t] = a[t + 1] + t;
}
