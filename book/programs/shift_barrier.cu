__global__ void shift(int *a) {
    int t = threadIdx.x;
    int x = a[t + 1];
    __syncthreads();
    a[t] = x;
}
