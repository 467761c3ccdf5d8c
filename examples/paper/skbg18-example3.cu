// place: SKBG18, Examples 2 and 3: IR 5 and IR 6 of Fig. 1, with the predicates that Example 2 prints
// paper: A race; its clause is `True AND (t_2__tid % 1) == 0 AND t_1__tid == t_2__tid + 1`.
// expect: check --block 4 => 1 | read-write race on a[2] | racy (1 racing pair)
// expect: compare --block 4 --show two-thread => 0 | (== (% tid0 2) 0) => (== b1 (store b0 tid0 (+ (select a0 tid0) 10))) | (== (% tid0 1) 0) => (== a1 (store a0 (+ tid0 1) 10)) | two-thread                racy
// why: With `tid % 1 == 0`, which is true of every thread, an odd thread writes what an even one reads. With
//   `tid % 2 == 0` (“the enclosing if condition”) there is no race: see `skbg18-fig1.cu`. The clause has True where
//   Example 2 has the predicate of IR 5; so its models with an odd t_1 are none.
__global__ void example(int *a, int *b) {
    int tid = threadIdx.x;
    if (tid % 2 == 0) {
        b[tid] = a[tid] + 10;         // IR 5
    }
    if (tid % 1 == 0) {
        a[tid + 1] = 10;              // IR 6
    }
}
