// wrong: it is race-free | it is racy: thread
__global__ void shift(int *a) {
    __syncthreads();
    int next = a[threadIdx.x + 1];
    a[threadIdx.x] = next;
}
