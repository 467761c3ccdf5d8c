// place: HiRace, Listing 3
// paper: “Read-write data race with syncthreads (block-scope barrier)”: the barrier does not synchronize threads of
//   different blocks.
// expect: check => 0 | race-free
// expect: check --block 4 --grid 2 => 1 | race on data[0]
// expect: compare --block 4 --grid 2 => 0 | hirace                    racy
// expect: compare --block 4 => 1 | hirace                    unknown | two-thread                racy | false alarm
// expect: compare --block 4 --machine examples/paper/hirace-fig2.csv => 1 | hirace-machine            racy | false alarm
// why: The same: one block has no race, and two have one. (SKBG18 to the letter has a false alarm with one block: its
//   race formula does not look at barriers. So has the machine of Fig. 2, which is for code without barriers.)
__global__ void race_blockSync(int *data) {
    int tid = threadIdx.x;
    int val = data[0];
    __syncthreads();
    if (tid > 0) {
        data[tid - 1] = tid; // race!
    }
}
