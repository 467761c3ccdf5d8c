// place: SKBG18, Fig. 1, upper part. The figure is a picture; this is put together from Examples 1 to 3, which quote
//   its lines (numbered IR 2 to IR 9).
// paper: Races of IR 2 with itself, of IR 2 with IR 3, and of IR 5 with IR 6; the barrier of IR 4 diverges.
// expect: check --block 4 => 1 | write-write race on A[0] | read-write race on A[0] | barrier divergence | racy (2 racing pairs)
// expect: compare --block 4 => 0 | two-thread-repaired       racy
// expect: compare --block 4 --show two-thread => 0 | (== (% tid0 2) 0) => BAR | true => (and (>= i.k0 0) (== i1 (+ i0 (* i.k0 1)))) | (< i1 100) => (== A3 (store A2 (% i1 tid0) (+ i1 10)))
// why: The first two races and the divergence are there. IR 5 and IR 6 do not race: if both are under the `if`, as the
//   text says, IR 5 reads cells of even numbers and IR 6 writes odd ones; and no thread gets behind a barrier that
//   diverges. The paper's formulae for the two differ from its text: see `skbg18-example3.cu`. Those of IR 4, 8 and 9
//   (Example 2) are the same, but WFF 8 is printed as `i2k ≥ (i2 = …)`, without the 0, and WFF 9 has a `tid` of its own.
__global__ void example(int *A, int *B, int *C) {
    int tid = threadIdx.x;
    A[tid % 2] = C[tid];              // IR 2
    int y = A[tid];                   // IR 3
    if (tid % 2 == 0) {
        __syncthreads();              // IR 4
        B[tid] = A[tid] + 10;         // IR 5
        A[tid + 1] = 10;              // IR 6
    }
    __syncthreads();                  // IR 7
    for (int i = 0; i < 100; i++)     // IR 8
        A[i % tid] = i + 10;          // IR 9
    B[tid] = y;
}
