// The well known optimisation that must not be made: the barrier moved into
// the branch that only some threads take.
//
// babycuda: assume n <= 1073741824
// babycuda: assume gridDim.x <= 65535
// babycuda: check --block 256 --param n=10000 => divergent
// babycuda: check => divergent | unknown
// babycuda: check --block 1 --param n=100 => drf

#define THREADS 256

__global__ void dot(const float *a, const float *b, float *c, int n)
{
    __shared__ float cache[THREADS];
    int tid = threadIdx.x + blockIdx.x * blockDim.x;
    int cacheIndex = threadIdx.x;

    float temp = 0;
    while (tid < n) {
        temp += a[tid] * b[tid];
        tid += blockDim.x * gridDim.x;
    }
    cache[cacheIndex] = temp;
    __syncthreads();

    int i = blockDim.x / 2;
    while (i != 0) {
        if (cacheIndex < i) {
            cache[cacheIndex] += cache[cacheIndex + i];
            __syncthreads();
        }
        i /= 2;
    }

    if (cacheIndex == 0)
        c[blockIdx.x] = cache[0];
}
