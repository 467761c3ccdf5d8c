// Kernel `reduce_sequential`, printed by babycuda in CUDA C.
// Launch: blocks of any x 1 x 1 threads.
// Naturals are 64 bits wide here and wrap around; what is stored is reduced to
// the range of the array's elements.

static inline __device__ int add_i32(int a, int b)
{
    return (int)((unsigned int)a + (unsigned int)b);
}

static inline __device__ unsigned int shr_u32(unsigned int a, unsigned int b)
{
    return b >= 32 ? 0 : a >> b;
}

extern "C" __global__ void reduce_sequential(const int *in, volatile int *out)
{
    extern __shared__ volatile int s[];
    const int in_ = in[blockIdx.x * blockDim.x + threadIdx.x];  // line 13
    s[threadIdx.x] = in_;  // line 13
    __syncthreads();  // line 14
    const unsigned long long half_k_end = (blockDim.x / 2u > 0u ? 1ull : 0ull) + (((blockDim.x / 2u) >> 1) > 0u ? 1ull : 0ull) + (((blockDim.x / 2u) >> 2) > 0u ? 1ull : 0ull) + (((blockDim.x / 2u) >> 3) > 0u ? 1ull : 0ull) + (((blockDim.x / 2u) >> 4) > 0u ? 1ull : 0ull) + (((blockDim.x / 2u) >> 5) > 0u ? 1ull : 0ull) + (((blockDim.x / 2u) >> 6) > 0u ? 1ull : 0ull) + (((blockDim.x / 2u) >> 7) > 0u ? 1ull : 0ull) + (((blockDim.x / 2u) >> 8) > 0u ? 1ull : 0ull) + (((blockDim.x / 2u) >> 9) > 0u ? 1ull : 0ull);
    for (unsigned long long half_k = 0ull; half_k < half_k_end; half_k++) {
        if (threadIdx.x < shr_u32(blockDim.x / 2u, (unsigned int)half_k)) {
            const int s_ = s[threadIdx.x + shr_u32(blockDim.x / 2u, (unsigned int)half_k)];  // line 18
            const int s_1 = s[threadIdx.x];  // line 18
            s[threadIdx.x] = add_i32(s_1, s_);  // line 18
        }
        __syncthreads();  // line 19
    }
    if (threadIdx.x == 0u) {
        const int s_2 = s[0];  // line 23
        out[blockIdx.x] = s_2;  // line 23
    }
}
