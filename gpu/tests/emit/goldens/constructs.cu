// Kernel `main`, printed by babycuda in CUDA C.
// Launch: blocks of any x 1 x 1 threads.
// Naturals are 64 bits wide here and wrap around; what is stored is reduced to
// the range of the array's elements.
// `global long: i64 = fill 2` is filled by the host.
// `global data: u8 = opaque` stands for data that the program does not compute.
// Assumed: lt.i32(int, 100)
// WARNING: not all threads of a block need reach the barrier in line 19 together.

static inline __device__ unsigned long long sub_natural(unsigned long long a, unsigned long long b)
{
    return a > b ? a - b : 0;
}

static inline __device__ int add_i32(int a, int b)
{
    return (int)((unsigned int)a + (unsigned int)b);
}

static inline __device__ int sub_i32(int a, int b)
{
    return (int)((unsigned int)a - (unsigned int)b);
}

static inline __device__ int div_i32(int a, int b)
{
    return b == 0 ? (int)0 : b == -1 ? (int)((unsigned int)0 - (unsigned int)a) : (int)(a / b);
}

static inline __device__ int shl_i32(int a, int b)
{
    return (unsigned int)b >= 32 ? (int)0 : (int)((unsigned int)a << (unsigned int)b);
}

extern "C" __global__ void main_1(
    volatile unsigned int *as,
    volatile long long *long_1,
    const volatile unsigned char *data,
    int int_1,
    unsigned char x_1)
{
    extern __shared__ volatile unsigned long long A[];
    __shared__ volatile int S[16];
    const unsigned int thread_index = threadIdx.x;
    const unsigned long long N = 3ull;
    if (thread_index == 0u) {
        A[0] = 7ull;
        A[1] = 8ull;
        A[2] = 9ull;
        for (unsigned long long cell_1 = 0ull; cell_1 < 16ull; cell_1++) {
            S[cell_1] = -1;
        }
    }
    __syncthreads();
    const unsigned long long x = A[thread_index];  // line 8
    const unsigned char x_2 = data[(unsigned long long)sub_i32(int_1, (int)x)];  // line 9
    if (!((unsigned int)x_2 == 0u) && ((unsigned long long)thread_index < N || int_1 < (int)x_1)) {
        S[sub_natural(x_2, thread_index)] = (int)((unsigned long long)((unsigned int)add_i32(x_2, 1)) * 2ull + 1ull);  // line 10
    }
    const unsigned long long i_end = N * (unsigned long long)blockDim.x;
    for (unsigned long long i = thread_index; i < i_end; i++) {
        for (unsigned long long i_1 = 0ull; i_1 < 2ull; i_1++) {
            S[(unsigned int)shl_i32((int)i_1, x_2)] = div_i32((int)i_1, int_1);  // line 12
        }
    }
    const unsigned int old = atomicAdd_block((unsigned int *)&as[0], thread_index);  // line 14
    const unsigned int old_1 = atomicInc((unsigned int *)&as[old], 10u);  // line 15
    const long long old_2 = atomicMax_system((long long *)&long_1[1], (long long)old_1);  // line 16
    const long long operand = old_2;
    long long old_3 = 0ll;
    for (;;) {  // line 17
        const long long seen = (long long)atomicCAS((unsigned long long *)&long_1[1], (unsigned long long)old_3, (unsigned long long)((long long)sub_natural((unsigned long long)old_3, (unsigned long long)operand)));
        if (seen == old_3) {
            break;
        }
        old_3 = seen;
    }
    const unsigned long long old_4 = atomicCAS((unsigned long long *)&A[0], (unsigned long long)old_3, 5ull);  // line 18
    if (thread_index == 0u) {
        __syncthreads();  // line 19
        S[0] = (int)(old_4 <= 5ull ? old_4 : (unsigned long long)((unsigned int)old_4 % 7u));  // line 19
    }
    const unsigned int old_5 = atomicXor((unsigned int *)&as[1], (unsigned int)(thread_index == 1u ? 3ull : 4ull));  // line 20
}
