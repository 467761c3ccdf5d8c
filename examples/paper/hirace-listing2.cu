// place: HiRace, Listing 2
// paper: “A simple CUDA kernel exhibiting a data race on line 4.” All threads of the device read data[0], then write it.
// expect: check => 1 | read-write race on data[0] | write-write race on data[0]
// expect: compare --block 4 --grid 2 => 0 | hirace                    racy
// expect: compare --block 4 --grid 2 --machine examples/paper/hirace-fig2.csv => 0 | hirace-machine            racy
// why: The same, also by the machine of Fig. 2. (`blockDim.x * threadsPerBlock` is printed where `blockIdx.x * blockDim.x` is meant: the variable
//   `threadsPerBlock` is not declared, and each thread would have a number of its own only by that.)
__global__ void race_noSync(int *data) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    int val = data[0];
    data[0] = i + val; // race!
}
