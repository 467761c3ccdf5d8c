__global__ void shift(int *a) {
    int t = threadIdx.x;
    a[t] = a[t + 1];
}
