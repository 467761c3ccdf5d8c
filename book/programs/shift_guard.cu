__global__ void shift(int *a, int n) {
    int t = threadIdx.x;
    if (t + 1 < n) {
        int x = a[t + 1];
        __syncthreads();
        a[t] = x;
    }
}
