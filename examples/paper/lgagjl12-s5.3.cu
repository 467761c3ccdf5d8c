// place: LGAGJL12, §5.3: “the full implementation of scalarProd”. It is not printed; this is Fig. 1 in a loop over its
//   256 pairs of vectors (§2.2).
// paper: A race, by a “missing __syncthreads() call after a complete dot product”: “thread 0 might still be reading
//   values” while “its neighbors had already begun calculation on the next pair of vectors”. It “will not manifest
//   itself”, since neighbours are of one warp.
// expect: check --block 128 --grid 128 --param sizeN=4096 => 1 | read-write race on accumRes[1] | racy (1 racing pair)
// expect: check --block 128 --grid 256 --param sizeN=4096 => 0 | race-free
// why: The same race, where a block has a second pair of vectors. With a block for each of the 256 pairs there is none.
//   Threads of a warp are not taken to go together.
#define accumN 1024
__global__ void ScalarProd(float *d_C, float *d_A, float *d_B, int sizeN) {
    __shared__ float accumRes[accumN];
    for (int vec = blockIdx.x; vec < 256; vec += gridDim.x) {
        for (int i = threadIdx.x; i < accumN; i += blockDim.x) {
            float sum = 0;
            for (int j = i; j < sizeN; j += accumN)
                sum += d_A[vec * sizeN + j] * d_B[vec * sizeN + j];
            accumRes[i] = sum;
        }
        for (int stride = accumN / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            for (int i = threadIdx.x; i < stride; i += blockDim.x)
                accumRes[i] += accumRes[stride + i];
        }
        if (threadIdx.x == 0) d_C[vec] = accumRes[0];
    }
}
