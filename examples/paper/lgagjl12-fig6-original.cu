// place: LGAGJL12, Fig. 6, “original version”, in the step of a bitonic sort
// paper: Not access invariant: data decides whether the swap is made.
// expect: compare --block 16 => 0 | amplification             unknown | truth                     drf
// expect: check --block 16 => 0 | race-free
// why: The same. Any swap stays within the pair of its thread.
__global__ void step(int *data) {
    __shared__ int A[32];
    int i = threadIdx.x;
    int j = i + 16;
    A[i] = data[i];
    A[j] = data[j];
    __syncthreads();
    int t;
    if (A[i] > A[j]) {
        t = A[i]; A[i] = A[j]; A[j] = t;
    }
    __syncthreads();
    data[i] = A[i];
    data[j] = A[j];
}
