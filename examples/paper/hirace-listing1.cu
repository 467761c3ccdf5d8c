// place: HiRace, Listing 1
// paper: “A CUDA kernel containing a data race from the Indigo suite - Atomic bug (line 13)”: without `atomicMin`, two
//   threads may lower one cell of data1. (The first parameter is printed `index`, and used as `nindex`.)
// expect: check --block 2 --grid 1 --timeout 5 => 1 | data1
// expect: compare --block 2 --param numv=2 => 0 | truth                     racy | hirace                    unknown | no race in this run
// why: Whether it races depends on the graph, and so on data: the library names contents of nindex and nlist with
//   which it does. In `compare` HiRace watches a run on an empty graph (all zeros) and sees no race, as the paper says
//   of its smallest inputs.
__global__ void test_kernel(int *nindex, int *nlist, int *data1, int *data2, int numv) {
    int idx = threadIdx.x + blockIdx.x * blockDim.x;
    for (int i = idx; i < numv; i += gridDim.x * blockDim.x) {
        int beg = nindex[i];
        int end = nindex[i + 1];
        for (int j = beg; j < end; j++) {
            int nei = nlist[j];
            if (i < nei) {
                data1[nei] = min(data1[nei], data2[i]);
            }
        }
    }
}
