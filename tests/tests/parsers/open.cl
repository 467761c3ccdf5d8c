// In work-groups of 64 work-items, none of these kernels has a race that is known, or is known to have none.

// Whether these order local memory, the copied array, or what a barrier of the other space does not, is not said.
kernel void open_in_local(global int *b, local int *s) { int i = get_local_id(0); s[i] = 1; int any = work_group_any(b[i]); s[i ^ 1] = 2; b[i] = any; }
kernel void open_and_copied(global int *c, global const int *a, local int *s) {
    int i = get_local_id(0);
    s[i] = 1;
    int any = work_group_any(1);
    c[i] = s[i ^ 1] + any;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(s, a, 64, 0);
    wait_group_events(1, &e);
    c[i] += s[i ^ 1];
}
// Copies that are not waited for by one call, and copies of which OpenCL C says nothing.
kernel void one_too_few(global int *b, global const int *a) { local int s[64], t[64]; int i = get_local_id(0); event_t e[2]; e[0] = async_work_group_copy(s, a, 64, 0); e[1] = async_work_group_copy(t, a, 64, 0); wait_group_events(1, e); b[i] = s[i ^ 1]; }
kernel void by_each(global int *b, global const int *a) { local int s[64]; int i = get_local_id(0); event_t e = async_work_group_copy(s, a, i, 0); wait_group_events(1, &e); b[i] = s[63 - i]; }
kernel void to_each(global int *b, global const int *a) { local int s[128]; int i = get_local_id(0); event_t e = async_work_group_copy(s + i, a, 64, 0); wait_group_events(1, &e); b[i] = s[63 - i]; }
// Of three components the upper half has a fourth one.
kernel void upper_of_three(global int3 *a) { int i = get_local_id(0); if (i == 0) a[0].hi.x = 1; if (i == 1) a[0].z = 2; }
// A fence of the other space leaves a race, and a call that may order nothing another one.
kernel void crossed_and_open(global int *c, global int *b) { int i = get_local_id(0); c[i] = 1; b[i] = 2; barrier(CLK_LOCAL_MEM_FENCE); c[i ^ 1] = 2; int any = work_group_any(1); b[i] = any; }
// Barriers whose memory a narrower scope orders.
kernel void narrow_scope(global int *a) { int i = get_local_id(0); local int s[64]; s[i] = i; work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_sub_group); a[i] = s[i ^ 33]; }
kernel void any_in_sub(global int *b, local int *s) { int i = get_local_id(0); s[i] = 1; int any = work_group_any(1); sub_group_barrier(CLK_LOCAL_MEM_FENCE); s[i ^ 32] = 2; b[i] = any; }
// A work-item that is stuck holds the others at a barrier, whatever that orders; what it reads of the other memory may be what stops it.
kernel void stuck_in_a_loop(global int *g) { int x = get_local_id(0); g[x] = 1; if (x == 3) while (1); barrier(CLK_LOCAL_MEM_FENCE); g[x ^ 1] = 2; }
kernel void stuck_in_a_trap(global int *g) { int x = get_local_id(0); g[x] = 1; if (x == 3) __builtin_trap(); barrier(CLK_LOCAL_MEM_FENCE); g[x ^ 1] = 2; }
kernel void overflows_before(global int *g) { int x = get_local_id(0); g[x] = 1; int y = x + 2147483646; if (y < 0) return; barrier(CLK_LOCAL_MEM_FENCE); g[x ^ 1] = 2; }
kernel void overflows_by_the_other(global int *g, local int *s) { int x = get_local_id(0); s[x] = 2; g[x] = 1; barrier(CLK_LOCAL_MEM_FENCE); int y = 2147483646 + s[x ^ 1]; g[x ^ 1] = y; }
kernel void divides_by_the_other(global int *g, local int *s) { int x = get_local_id(0); s[x] = 7; g[x] = 1; barrier(CLK_LOCAL_MEM_FENCE); int y = 100 / (s[x] - 7); g[x ^ 1] = y; }
// Barriers of one macro stand at one place.
#define BOTH_IN_TURN barrier(CLK_LOCAL_MEM_FENCE); barrier(CLK_GLOBAL_MEM_FENCE)
kernel void by_one_macro(global int *g) { int x = get_local_id(0); g[x] = 1; BOTH_IN_TURN; g[x ^ 1] = 2; }
