// Kernel `reduce_sequential`, printed by babycuda in OpenCL C.
// Launch: blocks of any x 1 x 1 threads.
// Naturals are 64 bits wide here and wrap around; what is stored is reduced to
// the range of the array's elements.

static int add_i32(int a, int b)
{
    return (int)((uint)a + (uint)b);
}

static uint shr_u32(uint a, uint b)
{
    return b >= 32 ? 0 : a >> b;
}

__kernel void reduce_sequential(
    __global const int *in,
    __global volatile int *out,
    __local volatile int *s)
{
    const int in_ = in[(uint)get_group_id(0) * (uint)get_local_size(0) + (uint)get_local_id(0)];  // line 13
    s[(uint)get_local_id(0)] = in_;  // line 13
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);  // line 14
    const ulong half_k_end = ((uint)get_local_size(0) / 2u > 0u ? 1ul : 0ul) + ((((uint)get_local_size(0) / 2u) >> 1) > 0u ? 1ul : 0ul) + ((((uint)get_local_size(0) / 2u) >> 2) > 0u ? 1ul : 0ul) + ((((uint)get_local_size(0) / 2u) >> 3) > 0u ? 1ul : 0ul) + ((((uint)get_local_size(0) / 2u) >> 4) > 0u ? 1ul : 0ul) + ((((uint)get_local_size(0) / 2u) >> 5) > 0u ? 1ul : 0ul) + ((((uint)get_local_size(0) / 2u) >> 6) > 0u ? 1ul : 0ul) + ((((uint)get_local_size(0) / 2u) >> 7) > 0u ? 1ul : 0ul) + ((((uint)get_local_size(0) / 2u) >> 8) > 0u ? 1ul : 0ul) + ((((uint)get_local_size(0) / 2u) >> 9) > 0u ? 1ul : 0ul);
    for (ulong half_k = 0ul; half_k < half_k_end; half_k++) {
        if ((uint)get_local_id(0) < shr_u32((uint)get_local_size(0) / 2u, (uint)half_k)) {
            const int s_ = s[(uint)get_local_id(0) + shr_u32((uint)get_local_size(0) / 2u, (uint)half_k)];  // line 18
            const int s_1 = s[(uint)get_local_id(0)];  // line 18
            s[(uint)get_local_id(0)] = add_i32(s_1, s_);  // line 18
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);  // line 19
    }
    if ((uint)get_local_id(0) == 0u) {
        const int s_2 = s[0];  // line 23
        out[(uint)get_group_id(0)] = s_2;  // line 23
    }
}
