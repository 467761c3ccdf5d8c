// place: LGAGJL12, §4.1, “Taint tracking”
// paper: “Whether array A or B is written depends on the value of taintedVar”: not access invariant.
// expect: type => 0 | well-typed, relative to what the host stored in input
// expect: check --block 32 => 0 | race-free
// expect: compare => 0 | amplification             unknown
// why: Nothing here can race, since each thread has cells of its own. Amplification refuses it, as the paper says that it
//   would; it has a type relative to what the host stored in `input`, which nobody writes (T11): race-free for all contents.
__global__ void tainted(int *A, int *B, int *input) {
    int i = threadIdx.x;
    int e = 1;
    if (input[i]) { A[i] = e; } else { B[i] = e; }
}
