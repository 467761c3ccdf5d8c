// wrong: the fewest barriers | it has 2 barriers
__global__ void shift(int *a) {
    int next = a[threadIdx.x + 1];
    __syncthreads();
    a[threadIdx.x] = next;
    __syncthreads();
}
