// place: DD, Fig. 1, as OpenCL C
// paper: “an example of OpenCL kernel”. It is not said whether it has a race.
// expect: check --block 2 => 1 | read-write race on R[1] | both in phase 1
// expect: check --block 1 => 0 | race-free
// expect: compare --block 2 => 1 | truth                     racy | symbolic-heap             drf
// why: In the second phase, thread t reads what thread t + 1 overwrites: the race of a shift in place. By the paper's
//   rule, a race is a shared state that depends on the schedule. With all zeros in R, whatever order threads run
//   in leaves the same; and DD's Table 1 takes the writes of all threads at once, so it finds the state determined.
__kernel void example(__global int *A, __global int *B, __global int *R) {
    int tid = get_local_id(0);
    R[tid] = A[tid - 1] + B[tid + 1];
    barrier(CLK_GLOBAL_MEM_FENCE);
    R[tid] = 2 * R[tid + 1];
}
