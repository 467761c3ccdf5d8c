// place: DD, Table 1: `dd-table1.txt` has its rules; here, which is ours, is a kernel for each
// paper: “The rules are defined in Table 1 and they symbolically describe the behaviour of a thread”.
// expect: compare --block 2 --kernel rule1 => 0 | symbolic-heap             drf
// expect: compare --block 2 --kernel rule2 => 0 | symbolic-heap             drf
// expect: compare --block 2 --kernel rule3 => 1 | truth                     drf | symbolic-heap             drf
// expect: compare --block 2 --kernel rule4 => 0 | symbolic-heap             unknown | thread 1 leaves the bounds of `A`
// expect: compare --block 2 --kernel rule5 => 0 | truth                     racy | symbolic-heap             racy
// expect: compare --block 2 --kernel rule6 => 0 | truth                     drf | symbolic-heap             drf
// expect: compare --block 2 --kernel rule7 => 0 | symbolic-heap             drf
// expect: compare --block 2 --kernel rule8 => 0 | symbolic-heap             unknown | an assertion fails in thread 0
// why: Rules 1, 2 and 4 to 8 are the library's; a shared scalar is an array of one cell, not the variable of rule 1.
//   ⊥ by rules 4 and 8 is no race, so the verdict is unknown. Rule 3 is not the library's: η(φ, f, e') is by §5 the old value f where the thread
//   wrote. By the letter of it, A holds 0 behind the barrier of `rule3`, and all threads write B[0]. The library has
//   η(φ, e', f), and no alarm. φ is of one tid in the rule, and of all threads in the text of §6 and in §6.1: the
//   library has both (docs/SYMBOLIC_HEAP.md), and `compare` the second.
__global__ void rule1(int *A) {
    int tid = threadIdx.x;
    int v = tid + 1;
    v = v * 2;
    A[tid] = v;
}

__global__ void rule2(int *A, int *B) {
    int tid = threadIdx.x;
    int v = A[tid];
    B[tid] = v;
}

__global__ void rule3(int *A, int *B) {
    int tid = threadIdx.x;
    A[tid] = 1;
    __syncthreads();
    if (A[tid] == 0) {
        B[0] = tid;
    }
}

__global__ void rule4() {
    __shared__ int A[2];
    int tid = threadIdx.x;
    A[tid + 1] = tid;
}

// The assumption that the branch is taken: it may be.
__global__ void rule5(int *B) {
    int tid = threadIdx.x;
    if (tid >= 0) {
        B[0] = tid;
    }
}

// It may not be, so the race behind it is none.
__global__ void rule6(int *B) {
    int tid = threadIdx.x;
    if (tid < 0) {
        B[0] = tid;
    }
}

__global__ void rule7(int *B) {
    int tid = threadIdx.x;
    assert(tid >= 0);
    B[tid] = tid;
}

__global__ void rule8(int *B) {
    int tid = threadIdx.x;
    assert(tid > 0);
    B[tid] = tid;
}
