// place: LGAGJL12, Fig. 1, but for the names of CUDA (`__global__`, `threadIdx.x`)
// paper: Access invariant: the inputs that decide accesses are configuration, so one clean run speaks for all data.
// expect: type => 0 | ScalarProd: well-typed
// expect: check --block 128 --param sizeN=4096 => 0 | race-free
// expect: compare --block 128 --param sizeN=4096 => 0 | amplification             drf | protocols                 drf
// why: The same. What has a type is access invariant (T5), and the typed protocol decides without a run.
#define accumN 1024
__global__ void ScalarProd(float *d_C, float *d_A, float *d_B, int sizeN) {
    __shared__ float accumRes[accumN];
    for (int i = threadIdx.x; i < accumN; i += blockDim.x) {
        float sum = 0;
        for (int j = i; j < sizeN; j += accumN)
            sum += d_A[j] * d_B[j];
        accumRes[i] = sum;
    }
    for (int stride = accumN / 2; stride > 0; stride >>= 1) {
        __syncthreads();
        for (int i = threadIdx.x; i < stride; i += blockDim.x)
            accumRes[i] += accumRes[stride + i];
    }
    if (threadIdx.x == 0) *d_C = accumRes[0];
}
