// Each of these kernels has a race in a work-group of 64.
kernel void halves(global int *a) { a[get_local_id(0) / 2] = 1; }
__kernel void neighbours(__global int *a, __local int *s) {
  size_t i = get_local_id(0);
  s[i] = a[get_global_id(0)];
  s[i ^ 1] = 2;
}
kernel void vectors(global float4 *a) { float4 v = (float4)(1, 2, 3, 4); a[get_local_id(0) & 7] = v; }
#if __OPENCL_VERSION__ >= 120
kernel void versions(global int *a) { a[0] = get_local_id(0); }
#endif
kernel void shifts(global int *a) { int i = get_local_id(0); a[i << 32 >> 1] = 1; a[1 << (i + 32) - i] = i; }
kernel void not_ordered(global int *a) {
  int i = get_local_id(0);
  a[i] = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  a[63 - i] = 2;
}
kernel void not_ordered_in_a_loop(global int *a, local int *s) {
  int i = get_local_id(0);
  for (int k = 0; k < 64; k++) { a[i ^ k] = 1; barrier(CLK_LOCAL_MEM_FENCE); s[i] = k; }
}

// Three components have the room of four.
__kernel void over_three(__global float3 *a) {
  int i = get_global_id(0);
  a[i].x = 1;
  ((__global float *)a)[3 * i] = 2;
}

// Elements of one vector are those of the next.
kernel void vectors_shifted(global float *f, global const float *g) {
    size_t i = get_global_id(0);
    vstore4(vload4(i, g), i, f + (i & 1));
}

kernel void loaded(global int *f) {
    int i = get_local_id(0);
    int2 both = vload2(0, f + i);
    f[i] = both.y;
}

// An update that is atomic, and a plain write.
kernel void counted(volatile global int *c) {
    atomic_add(c, 1);
    c[0] = 2;
}

kernel void counted_later(volatile global atomic_uint *c, global uint *plain, local uint *s) {
    atomic_fetch_max_explicit(c, 2, memory_order_relaxed, memory_scope_device);
    atom_inc(plain);
    plain[0] = atomic_dec(s);
}

// Atomic in the scope of a group only; launches have one group here, so there is a plain write.
kernel void exchanged(volatile global atomic_int *c, global int *d) {
    d[atomic_exchange_explicit(c, 0, memory_order_relaxed, memory_scope_work_group) * 0] = 1;
}

// Both are read, whatever is chosen.
kernel void chosen(global int *f, int n) {
    int i = get_local_id(0);
    f[i] = select(f[i], f[i + 1], n > 3);
}

kernel void chosen_halves(global int *f, int n) {
    int i = get_local_id(0);
    f[select(i, i / 2, n > 3)] = 1;
}

kernel void converted(global uchar *f) {
    f[convert_uchar(get_local_id(0) * 8)] = as_uint(1.0f);
}

kernel __attribute__((reqd_work_group_size(64, 1, 1))) void of_size(global int *f) {
    f[get_local_id(0) % 63] = 1;
}

// A class without a name of its own.
typedef struct { float x; int n; } pair;
kernel void pairs(global pair *p, int3 size) {
    int i = get_local_id(0);
    if (i < size.y) p[i / 2].n = i;
}

kernel void chosen_never(global int *f) {
    int i = get_local_id(0);
    f[i] = select(f[i], f[i + 1], 0);
}

// A barrier of local memory: accesses of global memory race beside it, also where local memory decides of them.
kernel void beside_a_fence(global int *a, local int *s) {
    int t = get_local_id(0);
    s[t] = t;
    a[t] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[(t + 1) % 64] = 2;
}

kernel void decided_beside_a_fence(global int *a, local int *s) {
    int t = get_local_id(0);
    s[t] = t + 1;
    a[t] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (s[t] != 0 && t == 1) a[0] = 2;
}

// Another step than all threads of the grid.
kernel void strided(global float *a, int n) {
    for (int i = get_global_id(0); i < n; i += get_global_size(0) - 1) a[i] = 1;
}

// By columns, and by rows.
kernel void in_columns(global int *a) {
    int x = get_global_id(0), y = get_global_id(1);
    a[get_global_linear_id()] = y;
    a[x * get_global_size(1) + y + 1] = x;
}

kernel void of_any_dimension(global int *a) {
    if (get_work_dim() > 1) a[get_local_linear_id() / 2] = 1;
}

kernel void components(global float4 *a) {
    int i = get_local_id(0);
    global float4 *p = a + i / 2;
    if (i & 1) p->xy = 1;
    else a[i / 2].even += (float2)(i);
}

kernel void components_of_the_next(global float4 *a) {
    int i = get_local_id(0);
    a[i].xz = a[i + 1].yx;
}

// An initialization is no atomic function.
kernel void initialized(volatile global atomic_int *c, global int *a) {
    atomic_init(c, 7);
    a[get_local_id(0)] = atomic_load(c);
}

// What is expected is read by all.
kernel void expected(volatile global atomic_int *c, global int *a) {
    a[get_local_id(0)] = 1;
    atomic_compare_exchange_strong(c, a, 1);
}

// Not known to be one, nor to be none: a weak comparison may fail, and a plain read is no update.
kernel void left_open(volatile global atomic_int *c, global int *a) {
    int none = 0;
    if (atomic_compare_exchange_weak(c, &none, 1)) a[0] = 1;
}

kernel void left_open_by_a_read(volatile global atomic_int *c, global int *a) {
    a[get_local_id(0)] = atomic_load(c) + *(global int *)c;
}

kernel void painted(write_only image2d_t out) {
    write_imagef(out, (int2)(get_local_id(0) / 2, 3), (float4)(get_local_id(0)));
}

kernel void painted_twice(write_only image3d_t layers) {
    int x = get_global_id(0), y = get_global_id(1);
    write_imageui(layers, (int4)(x, y, 3, x), (uint4)(x));
    write_imageui(layers, (int4)(x + 1, y, 3, y), (uint4)(y));
}

kernel void neighbouring_pixels(read_write image1d_t line) {
    int x = get_global_id(0);
    write_imagei(line, x, read_imagei(line, x + 1));
}

// What the barrier orders is no image.
kernel void images_are_not_ordered(read_write image1d_t line) {
    int x = get_local_id(0);
    write_imagei(line, x, (int4)(1));
    barrier(CLK_GLOBAL_MEM_FENCE);
    write_imagei(line, 63 - x, (int4)(2));
}

// Of another sub-group, and by two work-items of one.
kernel void of_other_sub_groups(local float *s) {
    uint i = get_local_id(0);
    s[i] = 1;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    s[i ^ 32] = 2;
}

kernel void of_one_sub_group(local float *sums) {
    if (get_sub_group_local_id() < 2) sums[get_sub_group_id()] = get_local_id(0);
}

// It orders local memory only.
kernel void of_a_sub_groups_memory(global float *a) {
    uint i = get_local_id(0);
    a[i] = 1;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    a[i ^ 1] = 2;
}

kernel void three_halves(global half *h, float4 v) {
    int i = get_global_id(0);
    vstore_half3(v.xyz, i, h);
    vstore_half_rte(v.w, 4 * i + 3, h);
}

kernel void aligned_halves(global half *h, float4 v) {
    int i = get_global_id(0);
    vstorea_half3(v.xyz, i, h);
    vstore_half(v.w, 3 * i, h);
}

kernel void next_halves(global half *h) {
    int i = get_global_id(0);
    vstore_half(vload_half2(0, h + i).y, i, h);
}

// What says where is read.
kernel void fetched(global float *f, global int *at) {
    at[get_local_id(0)] = 1;
    prefetch(f + at[0], 16);
}

kernel void together(global const int *a, global int *b) {
    b[get_local_id(0) / 2] = work_group_reduce_add(a[get_local_id(0)]);
}

// It may order memory, or not.
kernel void together_between(global int *a) {
    int i = get_local_id(0);
    a[i] = 1;
    int any = work_group_any(i == 3);
    a[i ^ 1] = any;
}

// Before it is waited for; what no barrier orders before the copy, or before the next one; and two copies at once.
kernel void not_waited_for(global const float *a, global float *b, local float *s) {
    event_t e = async_work_group_copy(s, a, 64, 0);
    b[get_local_id(0)] = s[get_local_id(0)];
    wait_group_events(1, &e);
}

kernel void not_ordered_before(global float *b, local float *s) {
    s[get_local_id(0)] = get_local_id(0);
    event_t e = async_work_group_copy(b, s, get_local_size(0), 0);
    wait_group_events(1, &e);
}

kernel void not_ordered_before_the_next(global const float *a, global float *b, local float *s) {
    for (int k = 0; k < 4; k++) {
        event_t e = async_work_group_copy(s, a + 64 * k, 64, 0);
        wait_group_events(1, &e);
        b[64 * k + get_local_id(0)] = s[get_local_id(0)];
    }
}

kernel void two_copies(global const float *a, local float *s) {
    event_t e = async_work_group_copy(s, a, 33, 0);
    e = async_work_group_copy(s + 32, a, 32, e);
    wait_group_events(1, &e);
}

// What the wait may order, or not; and what may be copied yet.
kernel void ordered_by_a_wait(global const float *a, global float *b, local float *s) {
    int i = get_local_id(0);
    b[i] = 1;
    event_t e = async_work_group_copy(s, a, 64, 0);
    wait_group_events(1, &e);
    b[i ^ 1] = s[i];
}

kernel void passed(global const float *a, global float *b, local float *s) {
    event_t e = async_work_group_copy(s, a, 64, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[get_local_id(0)] = s[get_local_id(0)];
}

// Components of components.
kernel void component_of_components(global float4 *a) { int i = get_local_id(0); a[i].xy.y = 1; if (i > 0) a[i - 1].zy.y = 2; }
kernel void read_of_choice(global int4 *a, int4 c) { int i = get_local_id(0); a[i] = c ? a[0] : a[1]; }

// A barrier that orders nothing.
kernel void waits_only(global int *a) { a[get_local_id(0)] = 1; barrier(0); a[get_local_id(0) ^ 1] = 2; }
kernel void waits_only_in_local(local int *s) { s[get_local_id(0)] = 1; barrier(0); s[get_local_id(0) ^ 1] = 2; }

// The next copy comes before all have read the last one.
kernel void copied_in_turn(global int *b, global const int *a, int n) {
    local int s[64];
    int i = get_local_id(0);
    for (int k = 0; k < n; k++) {
        event_t e = async_work_group_copy(s, a + 64 * k, 64, 0);
        wait_group_events(1, &e);
        b[i] += s[i ^ 1];
    }
}

kernel void several_events(global int *b, global const int *a) {
    local int s[64], t[64];
    int i = get_local_id(0);
    event_t e[2];
    e[0] = async_work_group_copy(s, a, 64, 0);
    e[1] = async_work_group_copy(t, a + 64, 64, 0);
    t[i] = 1;
    wait_group_events(2, e);
    b[i] = s[i ^ 1];
}

kernel void far_pixel(write_only image2d_t im) { write_imagef(im, (int2)(3, 100000), (float4)(0)); }
kernel void one_layer(write_only image2d_array_t im) { write_imagef(im, (int4)(1, 2, 3, 0), (float4)(0)); }
// A work-item may be stuck before the barrier; in some launches none is.
kernel void may_overflow_before(global int *g, int n) { int x = get_local_id(0); if (x + n > 0) g[x] = 1; barrier(CLK_LOCAL_MEM_FENCE); g[x ^ 1] = 2; }
