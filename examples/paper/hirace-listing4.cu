// place: HiRace, Listing 4
// paper: “Indigo Kernel - Sync Bug (Lines 20, 24)”: “the write on line 20 and read on line 24. A __syncthreads call on
//   line 21 would remove this data race.”
// expect: check --block 64 => 1 | race on s_carry
// expect: compare --block 64 --param numv=1 => 0 | hirace                    racy
// why: The same race. (Counted as the listing is printed, the write is in line 19 and the read in line 23.)
__global__ void test_kernel(int *nindex, int *nlist, int *data1, int *data2, int numv) {
    __shared__ int s_carry[1024];
    int tid = threadIdx.x;
    s_carry[tid] = 0;

    int i = blockIdx.x;
    if (i < numv) {
        __syncthreads();
        int beg = nindex[i];
        int end = nindex[i + 1];
        int val = 0;
        for (int j = beg + threadIdx.x; j < end; j += blockDim.x) {
            int nei = nlist[j];
            val += data2[nei];
        }
        s_carry[tid] = val;

        for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
            if (tid < stride) {
                s_carry[tid] += s_carry[tid + stride];
            }
            __syncthreads();
        }
        if (tid == 0) data1[i] += s_carry[0];
    }
}
