// place: HiRace, Listing 5
// paper: “Finite-history litmus test”: two threads read a cell one after the other, so a tool that keeps one reader
//   loses the other, and the race with it. HiRace's machine does not.
// expect: check --param len=8 --block 8 => 1 | read-write race on data
// expect: compare --block 8 --param len=8 => 1 | hirace                    racy
// why: The same. (DD has no race here: the state is determined when all threads write at once.)
__global__ void multiRead_Race(int *data, int len) {
    int tid = threadIdx.x;
    int local_sum = 0;

    if (tid < len - 2) {
        local_sum = data[tid]; // evicted
        local_sum += data[tid + 1];

        data[tid + 1] = local_sum; // race!
    }
}
