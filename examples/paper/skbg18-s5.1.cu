// place: SKBG18, §5.1, “Encoding Data race”
// paper: `A[tid] = 100` and `y = A[tid+10] + y` race if `tid_j ≠ tid_i ∧ tid_i == tid_j + 10` has a model.
// expect: check => 1 | read-write race on A[ | racy (1 racing pair) | blocks of 1..=1024 x 1 x 1
// expect: check --block 10 => 0 | race-free
// expect: compare --block 16 => 1 | two-thread                racy | thread 10 wr in line 10:5 / thread 0 rd in line 11:9
// why: The formula has no bound on thread numbers. A block of 10 threads has no two whose numbers differ by 10.
__global__ void conflict(int *A, int *out) {
    int tid = threadIdx.x;
    int y = 0;
    A[tid] = 100;
    y = A[tid + 10] + y;
    out[tid] = y;
}
