// place: LGAGJL12, Fig. 6, “transformed version”, in the step of a bitonic sort
// paper: Access invariant: “we have removed a control dependence without introducing taint to the array indices”.
// expect: compare --block 16 => 0 | amplification             drf
// expect: check --block 16 => 0 | race-free
// why: The same, for integers. For floats `cond * A[j] + (!cond) * A[i]` is no swap where one of both is infinite or no
//   number, and the rewriting of `detectors::amplification` selects instead.
__global__ void step(int *data) {
    __shared__ int A[32];
    int i = threadIdx.x;
    int j = i + 16;
    A[i] = data[i];
    A[j] = data[j];
    __syncthreads();
    int t;
    bool cond = (A[i] > A[j]);
    t = A[i];
    A[i] = cond * A[j] + (!cond) * A[i];
    A[j] = cond * t + (!cond) * A[j];
    __syncthreads();
    data[i] = A[i];
    data[j] = A[j];
}
