// Kernel `histogram`, printed by babycuda in CUDA C.
// Launch: blocks of any x 1 x 1 threads.
// Naturals are 64 bits wide here and wrap around; what is stored is reduced to
// the range of the array's elements.
// Assumed: le.i32(n, 1073741824)
// Assumed: le.u32(gridDim.x, 65535)

static inline __device__ int add_i32(int a, int b)
{
    return (int)((unsigned int)a + (unsigned int)b);
}

static inline __device__ int mul_i32(int a, int b)
{
    return (int)((unsigned int)a * (unsigned int)b);
}

static inline __device__ unsigned int div_u32(unsigned int a, unsigned int b)
{
    return b == 0 ? 0 : a / b;
}

extern "C" __global__ void histogram(
    const unsigned char *data,
    volatile unsigned int *hist,
    int n)
{
    __shared__ volatile unsigned int bins[256];
    const unsigned long long b_k_end = (int)threadIdx.x < 256 ? ((unsigned long long)div_u32(256u - threadIdx.x - 1u, blockDim.x) + 1ull) : 0ull;
    for (unsigned long long b_k = 0ull; b_k < b_k_end; b_k++) {
        bins[(unsigned int)add_i32((int)threadIdx.x, mul_i32((int)blockDim.x, (int)b_k))] = 0u;  // line 16
    }
    __syncthreads();  // line 17
    const unsigned long long i_k_end = (int)(blockIdx.x * blockDim.x + threadIdx.x) < n ? ((unsigned long long)div_u32((unsigned int)n - (blockIdx.x * blockDim.x + threadIdx.x) - 1u, blockDim.x * gridDim.x) + 1ull) : 0ull;
    for (unsigned long long i_k = 0ull; i_k < i_k_end; i_k++) {
        const unsigned char data_ = data[(unsigned int)add_i32((int)(blockIdx.x * blockDim.x + threadIdx.x), mul_i32((int)(blockDim.x * gridDim.x), (int)i_k))];  // line 20
        const unsigned int old = atomicAdd((unsigned int *)&bins[data_], 1u);  // line 20
    }
    __syncthreads();  // line 21
    const unsigned long long b_k_1_end = (int)threadIdx.x < 256 ? ((unsigned long long)div_u32(256u - threadIdx.x - 1u, blockDim.x) + 1ull) : 0ull;
    for (unsigned long long b_k_1 = 0ull; b_k_1 < b_k_1_end; b_k_1++) {
        const unsigned int bins_ = bins[(unsigned int)add_i32((int)threadIdx.x, mul_i32((int)blockDim.x, (int)b_k_1))];  // line 24
        const unsigned int old_1 = atomicAdd((unsigned int *)&hist[(unsigned int)add_i32((int)threadIdx.x, mul_i32((int)blockDim.x, (int)b_k_1))], bins_);  // line 24
    }
}
