__global__ void k(int *a, int *b) {
    int t = threadIdx.x;
    a[t] = 1;
    __syncthreads();
    b[t] = a[t + 1];
}
