// Kernel `main`, printed by babycuda in OpenCL C.
// Launch: blocks of any x 1 x 1 threads.
// Naturals are 64 bits wide here and wrap around; what is stored is reduced to
// the range of the array's elements.
// `global long: i64 = fill 2` is filled by the host.
// `global data: u8 = opaque` stands for data that the program does not compute.
// Assumed: lt.i32(int, 100)
// WARNING: not all threads of a block need reach the barrier in line 19 together.

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

static ulong sub_natural(ulong a, ulong b)
{
    return a > b ? a - b : 0;
}

static int add_i32(int a, int b)
{
    return (int)((uint)a + (uint)b);
}

static int sub_i32(int a, int b)
{
    return (int)((uint)a - (uint)b);
}

static int div_i32(int a, int b)
{
    return b == 0 ? (int)0 : b == -1 ? (int)((uint)0 - (uint)a) : (int)(a / b);
}

static long max_i64(long a, long b)
{
    return a < b ? b : a;
}

static int shl_i32(int a, int b)
{
    return (uint)b >= 32 ? (int)0 : (int)((uint)a << (uint)b);
}

__kernel void main_1(
    __local volatile ulong *A,
    __global volatile uint *as,
    __global volatile long *long_1,
    __global const volatile uchar *data,
    int int_1,
    uchar x_1)
{
    __local volatile int S[16];
    const uint thread_index = (uint)get_local_id(0);
    const ulong N = 3ul;
    if (thread_index == 0u) {
        A[0] = 7ul;
        A[1] = 8ul;
        A[2] = 9ul;
        for (ulong cell_1 = 0ul; cell_1 < 16ul; cell_1++) {
            S[cell_1] = -1;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    const ulong x = A[thread_index];  // line 8
    const uchar x_2 = data[(ulong)sub_i32(int_1, (int)x)];  // line 9
    if (!((uint)x_2 == 0u) && ((ulong)thread_index < N || int_1 < (int)x_1)) {
        S[sub_natural(x_2, thread_index)] = (int)((ulong)((uint)add_i32(x_2, 1)) * 2ul + 1ul);  // line 10
    }
    const ulong i_end = N * (ulong)((uint)get_local_size(0));
    for (ulong i = thread_index; i < i_end; i++) {
        for (ulong i_1 = 0ul; i_1 < 2ul; i_1++) {
            S[(uint)shl_i32((int)i_1, x_2)] = div_i32((int)i_1, int_1);  // line 12
        }
    }
    const uint old = atomic_add(&as[0], thread_index);  // line 14
    const uint index_8 = old;
    uint old_1 = 0u;
    for (;;) {  // line 15
        const uint seen = atomic_cmpxchg(&as[index_8], old_1, (uint)(old_1 >= 10u ? 0ul : ((ulong)old_1 + 1ul)));
        if (seen == old_1) {
            break;
        }
        old_1 = seen;
    }
    const uint operand = old_1;
    long old_2 = 0l;
    for (;;) {  // line 16
        const long seen_1 = atom_cmpxchg(&long_1[1], old_2, max_i64(old_2, operand));
        if (seen_1 == old_2) {
            break;
        }
        old_2 = seen_1;
    }
    const long operand_1 = old_2;
    long old_3 = 0l;
    for (;;) {  // line 17
        const long seen_2 = atom_cmpxchg(&long_1[1], old_3, (long)sub_natural((ulong)old_3, (ulong)operand_1));
        if (seen_2 == old_3) {
            break;
        }
        old_3 = seen_2;
    }
    const ulong old_4 = atom_cmpxchg(&A[0], (ulong)old_3, 5ul);  // line 18
    if (thread_index == 0u) {
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);  // line 19
        S[0] = (int)(old_4 <= 5ul ? old_4 : (ulong)((uint)old_4 % 7u));  // line 19
    }
    const uint old_5 = atomic_xor(&as[1], (uint)(thread_index == 1u ? 3ul : 4ul));  // line 20
}
