// place: LCL22, Fig. 4, left
// paper: “a minimal DRF kernel using conditionals”
// expect: check => 0 | race-free | blocks of 1..=1024 x 1 x 1
// expect: check --block 64 --grid 2 => 1 | write-write race on A[0]
// why: The paper has one group of threads. With two blocks, each has a thread 0.
__global__ void fig4(int *A) {
    int tid = threadIdx.x;
    if (tid == 0) {
        A[0] = tid;
    }
}
