// wrong: nothing but barriers changes | `,` stands where the kernel has `)`
__global__ void shift(int *a, int *b) {
    int next = a[threadIdx.x + 1];
    b[threadIdx.x] = next;
}
