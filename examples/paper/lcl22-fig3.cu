// place: LCL22, Fig. 3, left
// paper: “This kernel is racy because all threads concurrently execute the same CUDA program.”
// expect: check => 1 | read-write race on A[0] | write-write race on A[0] | blocks of 1..=1024 x 1 x 1
// expect: check --param M=0 => 0 | race-free
// expect: check --block 1 => 0 | race-free
// why: Racy it is, but not at every launch: no thread reads anything if M = 0, and one thread races with nobody.
__global__ void fig3(int *A, int M) {
    for (int x = 0; x < M; x++) {
        int y = A[x];
        A[x] = y + 1;
    }
}
