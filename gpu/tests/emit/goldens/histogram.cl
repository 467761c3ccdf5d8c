// Kernel `histogram`, printed by babycuda in OpenCL C.
// Launch: blocks of any x 1 x 1 threads.
// Naturals are 64 bits wide here and wrap around; what is stored is reduced to
// the range of the array's elements.
// Assumed: le.i32(n, 1073741824)
// Assumed: le.u32(gridDim.x, 65535)

static int add_i32(int a, int b)
{
    return (int)((uint)a + (uint)b);
}

static int mul_i32(int a, int b)
{
    return (int)((uint)a * (uint)b);
}

static uint div_u32(uint a, uint b)
{
    return b == 0 ? 0 : a / b;
}

__kernel void histogram(__global const uchar *data, __global volatile uint *hist, int n)
{
    __local volatile uint bins[256];
    const ulong b_k_end = (int)((uint)get_local_id(0)) < 256 ? ((ulong)div_u32(256u - (uint)get_local_id(0) - 1u, (uint)get_local_size(0)) + 1ul) : 0ul;
    for (ulong b_k = 0ul; b_k < b_k_end; b_k++) {
        bins[(uint)add_i32((int)((uint)get_local_id(0)), mul_i32((int)((uint)get_local_size(0)), (int)b_k))] = 0u;  // line 16
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);  // line 17
    const ulong i_k_end = (int)((uint)get_group_id(0) * (uint)get_local_size(0) + (uint)get_local_id(0)) < n ? ((ulong)div_u32((uint)n - ((uint)get_group_id(0) * (uint)get_local_size(0) + (uint)get_local_id(0)) - 1u, (uint)get_local_size(0) * (uint)get_num_groups(0)) + 1ul) : 0ul;
    for (ulong i_k = 0ul; i_k < i_k_end; i_k++) {
        const uchar data_ = data[(uint)add_i32((int)((uint)get_group_id(0) * (uint)get_local_size(0) + (uint)get_local_id(0)), mul_i32((int)((uint)get_local_size(0) * (uint)get_num_groups(0)), (int)i_k))];  // line 20
        const uint old = atomic_add(&bins[data_], 1u);  // line 20
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);  // line 21
    const ulong b_k_1_end = (int)((uint)get_local_id(0)) < 256 ? ((ulong)div_u32(256u - (uint)get_local_id(0) - 1u, (uint)get_local_size(0)) + 1ul) : 0ul;
    for (ulong b_k_1 = 0ul; b_k_1 < b_k_1_end; b_k_1++) {
        const uint bins_ = bins[(uint)add_i32((int)((uint)get_local_id(0)), mul_i32((int)((uint)get_local_size(0)), (int)b_k_1))];  // line 24
        const uint old_1 = atomic_add(&hist[(uint)add_i32((int)((uint)get_local_id(0)), mul_i32((int)((uint)get_local_size(0)), (int)b_k_1))], bins_);  // line 24
    }
}
