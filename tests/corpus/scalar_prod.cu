// Dot products of vectorN pairs of vectors, a pair a block at a time, with the
// barrier that keeps one pair's sums from the next pair's.
//
// babycuda: assume vectorN <= 65536 && 0 <= elementN && elementN <= 16384
// babycuda: assume gridDim.x <= 65535
// babycuda: check => drf
// babycuda: check --block 128 --param vectorN=4 --param elementN=4096 => drf
// babycuda: check --block 128 --grid 2 --param vectorN=4 --param elementN=4096 => drf

#define ACCUM_N 1024

__global__ void scalar_prod(float *d_C, const float *d_A, const float *d_B, int vectorN, int elementN)
{
    __shared__ float accum[ACCUM_N];

    for (int vec = blockIdx.x; vec < vectorN; vec += gridDim.x) {
        int vectorBase = elementN * vec;
        int vectorEnd = vectorBase + elementN;

        for (int i = threadIdx.x; i < ACCUM_N; i += blockDim.x) {
            float sum = 0;
            for (int pos = vectorBase + i; pos < vectorEnd; pos += ACCUM_N)
                sum += d_A[pos] * d_B[pos];
            accum[i] = sum;
        }

        for (int stride = ACCUM_N / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            for (int i = threadIdx.x; i < stride; i += blockDim.x)
                accum[i] += accum[stride + i];
        }

        if (threadIdx.x == 0)
            d_C[vec] = accum[0];
        __syncthreads();
    }
}
