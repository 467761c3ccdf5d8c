// wrong: it is race-free | it is racy: thread
__global__ void shift(int *a) {
    int next = a[threadIdx.x + 1];
    __syncwarp();
    a[threadIdx.x] = next;
}
