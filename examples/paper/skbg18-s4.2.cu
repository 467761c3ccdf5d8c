// place: SKBG18, §4.2: `A[i] = v`, and a read of `A` at `i`
// paper: `(store A i v)`, `(select A i)`.
// expect: compare --block 2 --show two-thread => 0 | true => (== A1 (store A0 i0 v0)) | true => (== B1 (store B0 tid.x0 (select A1 i0))) | two-thread                racy
// expect: check --block 1 => 0 | race-free
// why: The same formulae. All threads write the cell, so they race. The read's store is ours.
__global__ void stores(int *A, int *B, int i, int v) {
    A[i] = v;
    B[threadIdx.x] = A[i];
}
