// place: DD, Fig. 2, as OpenCL C
// paper: A “counter example”: “the analysis will not be able to detect the race of the global variable g”, and it
//   seems that “the interleaving product of two threads” fixes it.
// expect: check --block 2 => 1 | read-write race on A[1] | write-write race on g[0]
// expect: compare --block 2 => 1 | truth                     racy | symbolic-heap-two-threads drf
// why: There are three races: of A[tid] with A[tid + 1], and two of g, all threads writing the same to it. The first is
//   what makes the value of g depend on the schedule. As printed, the last thread reads a cell that no thread writes:
//   with a 0 there, g is 1 in every schedule, and the product of two threads is right to find the state determined.
//   `dd-fig2-ring.cu` has the race that the paper means.
__kernel void example(__global int *A, __global int *g) {
    int tid = get_local_id(0);
    g[0] = 0;
    A[tid] = 0;
    barrier(CLK_GLOBAL_MEM_FENCE);
    A[tid] = 1;
    if (A[tid + 1] == 0) {
        g[0] = 1;
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
}
