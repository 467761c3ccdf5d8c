__global__ void shift(int *a) {
    int next = a[threadIdx.x + 1];
    __syncthreads();
    a[threadIdx.x] = next;
}
