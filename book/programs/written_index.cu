__global__ void k(int *a, int n) {
    int t = threadIdx.x;
    a[t] = t * n;
    __syncthreads();
    a[a[t]] = 1;
}
