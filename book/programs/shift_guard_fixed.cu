__global__ void shift(int *a, int n) {
    int t = threadIdx.x;
    int x = 0;
    if (t + 1 < n) x = a[t + 1];
    __syncthreads();
    if (t + 1 < n) a[t] = x;
}
