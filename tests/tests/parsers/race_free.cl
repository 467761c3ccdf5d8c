// None of these kernels has a race in a work-group of 64.
kernel void own(global int *a) { a[get_local_id(0)] = 1; }
__kernel void reversed(__global int *a, __local int *s) {
  size_t i = get_local_id(0);
  s[i] = a[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  a[get_global_id(0)] = s[63 - i];
}
kernel void modulo(global int *a) { uint i = get_local_id(0); a[i << 32] = 1; }
kernel void local_fence(global const int *a, global int *b, local int *s) {
  int i = get_local_id(0), sum = 0;
  for (int k = 0; k < 4; k++) {
    s[i] = a[64 * k + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += s[63 - i];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  b[i] = sum;
}
kernel void constants(constant int *table, global int *b, local int *s) {
  int i = get_local_id(0);
  local int t[64];
  t[i] = table[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  b[i] = t[63 - i];
}

// Three components have the room of four.
__kernel void beside_three(__global float3 *a) {
  int i = get_global_id(0);
  a[i].x = 1;
  ((__global float *)a)[4 * i + 3] = 2;
}

__constant int one = 1;
__constant int table[2] = {0, 1};
__kernel void of_constants(__global int *a) { a[get_local_id(0) * one * table[1]] = 1; }

kernel void vectors_moved(global float *f, global const float *g) {
    size_t i = get_global_id(0);
    vstore4(vload4(i, g), i, f);
    vstore3(vload3(i, g), i, f + 4 * get_global_size(0));
}

kernel void counted(volatile global int *c, volatile global atomic_int *d, global float *f) {
    atomic_add(c, 1);
    atomic_dec(c);
    atomic_cmpxchg(c, 1, 2);
    atomic_fetch_or_explicit(d, 2, memory_order_relaxed, memory_scope_work_group);
    atomic_store(d, 7);
    f[get_local_id(0)] = native_exp(1.0f) + mad(2.0f, f[get_local_id(0)], 1.0f);
}

kernel void chosen(global int *f, int n) {
    int i = get_local_id(0);
    f[select(i, i + 1, n > 3)] = clamp(i, 0, 3) + popcount(i);
}

kernel void chosen_of_memory(global int *f, global const int *g, int n) {
    int i = get_local_id(0), at = select(g[0], g[1], n > 3);
    f[i + at] = mul24(i, 2);
}

kernel void converted(global uchar *f, global const float *g) {
    int i = get_local_id(0);
    f[convert_uchar(as_int(convert_uint(i)))] = convert_uchar_sat(g[i]);
}

kernel void image(read_only image2d_t picture, sampler_t sampler, global float4 *f) {
    int i = get_local_id(0), width = get_image_width(picture);
    f[i] = read_imagef(picture, sampler, (int2)(i % width, i / width));
}

kernel __attribute__((reqd_work_group_size(64, 1, 1))) void of_size(global int *f) {
    f[get_local_id(0) % 64] = 1;
}

// A class without a name of its own; the size is the same for all.
typedef struct { float x; int n; } pair;
kernel void pairs(global pair *p, int3 size) {
    int i = get_local_id(0);
    p[i].n = i;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (int k = 0; k < size.y; k++) {
        p[63 - i].x = p[63 - i].n;
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
}

// All threads of the grid are a step, as a `size_t`.
kernel void strided(global float *a, int n) {
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) a[i] = 1;
}

kernel void strided_in_rows(global float *a, int w, int h) {
    int step = get_global_size(1);
    for (int y = get_global_id(1); y < h; y += step)
        for (int x = get_global_id(0); x < w; x += get_global_size(0)) a[y * w + x] = 1;
}

// Places in linear order.
kernel void in_rows(global int *a, local int *s) {
    int x = get_global_id(0), y = get_global_id(1);
    s[get_local_linear_id()] = x;
    a[get_global_linear_id()] = 1;
    a[y * get_global_size(0) + x - get_global_offset(0)] = 2;
}

// No launch of one dimension has rows.
kernel void of_one_dimension(global int *a) {
    if (get_work_dim() == 1) a[get_global_id(0)] = get_group_id(1);
    if (get_work_dim() > 3) a[0] = 1;
}

// Other components of one vector.
kernel void components(global float4 *a) {
    int i = get_local_id(0);
    global float4 *p = a + i / 2;
    if (i & 1) p->xy = (float2)(1, 2).yx;
    else a[i / 2].hi += (float2)(i);
}

kernel void components_of_the_next(global float4 *a) {
    int i = get_local_id(0);
    a[i].xz = a[i + 1].yw;
    a[i].s0 *= 2;
}

// C11's functions.
kernel void loaded(volatile global atomic_int *c, global int *a, local atomic_uint *s) {
    int i = get_local_id(0), seen = 7;
    if (i == 0) atomic_init(s, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_store_explicit(c, i, memory_order_relaxed);
    atomic_compare_exchange_weak(c, &seen, 8);
    a[i] = atomic_load(c) + atomic_load_explicit(s, memory_order_relaxed, memory_scope_work_group);
}

// One compares in vain, at most.
kernel void chosen_once(volatile global atomic_int *c, global int *a) {
    int none = 0;
    if (atomic_compare_exchange_strong(c, &none, 1)) a[none] = 1;
}

kernel void flagged(volatile global atomic_flag *f, global int *a) {
    int i = get_local_id(0);
    if (!atomic_flag_test_and_set(f)) a[i] = 1;
    atomic_flag_clear(f);
}

// Images: each thread has a pixel of its own, also of what is read and written.
kernel void painted(write_only image2d_t out, write_only image3d_t layers, read_write image1d_t line) {
    int x = get_global_id(0), y = get_global_id(1);
    write_imagef(out, (int2)(x, y), (float4)(x));
    write_imageui(layers, (int4)(x, y, 3, 0), (uint4)(x));
    write_imageui(layers, (int4)(y, x, 4, 0), (uint4)(x));
    if (y == 0) write_imagei(line, x, read_imagei(line, x) * 2);
}

// Sub-groups are taken for warps.
kernel void of_sub_groups(global float *a, local float *s, local float *sums) {
    uint i = get_local_id(0);
    s[i] = a[i];
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    float v = sub_group_reduce_add(s[i ^ 1]);
    if (get_sub_group_local_id() == 0) sums[get_sub_group_id()] = v;
    work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
    for (uint k = 0; k < get_num_sub_groups(); k++) v += sums[k];
    a[i] = v;
}

// Halves: three that are aligned have the room of four.
kernel void halves(global half *h, global float *f, float4 v) {
    int i = get_global_id(0);
    prefetch(f + i, 16);
    vstore_half4(v * vload_half4(i, h), i, h);
    f[i] = vload_half(4 * i, h);
    barrier(CLK_GLOBAL_MEM_FENCE);
    vstorea_half3(v.xyz, i, h);
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    vstore_half_rte(v.w, 4 * i + 3, h);
}

// Whether it orders memory does not matter: no array is accessed at both sides, or a barrier stands between.
kernel void together(global const int *a, global int *b, local int *s) {
    int i = get_local_id(0);
    for (int k = 0; k < 4; k++) {
        s[i] = a[64 * k + i];
        barrier(CLK_LOCAL_MEM_FENCE);
        int sum = work_group_scan_inclusive_add(s[63 - i]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    int most = work_group_reduce_max(a[i]);
    if (i == 0) b[get_group_id(0)] = most;
}

// Copies of the whole group are complete behind the wait, and nothing else needs one.
kernel void copied(global const float *a, global float *b, int n) {
    local float s[64], t[64];
    int i = get_local_id(0);
    float sum = 0;
    for (int k = 0; k < n; k++) {
        event_t e = async_work_group_copy(s, a + 128 * k, 64, 0);
        e = async_work_group_strided_copy(t, a + 128 * k, 64, 2, e);
        wait_group_events(1, &e);
        sum += s[63 - i] * t[i ^ 1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    b[i] = sum;
}

kernel void copied_back(global float *b, local float *s) {
    s[get_local_id(0)] = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(b, s, get_local_size(0), 0);
    wait_group_events(1, &e);
    b[get_local_id(0)] = 1;
}

// Vectors that are compared, and components of components.
kernel void compared(global int4 *a, float4 x, float4 y) { a[get_local_id(0)] = (x > y && y < 1.0f) || !(x == y); }
kernel void chosen_components(global float4 *a, float4 x, float4 y) { a[get_local_id(0)] = (x < y) ? x : select(y, x, isless(x, y)); }
kernel void any_of(global int *a, float4 x, float4 y) { if (any(x > y)) a[get_local_id(0)] = 1; }
kernel void component_of_components(global float4 *a) { int i = get_local_id(0); a[i].xy.y = 1; if (i > 0) a[i - 1].zw.y = 2; }
kernel void components_of_components(global float4 *a, float4 v) { v.xyz.yz = v.wz.yx; a[get_local_id(0)] = v; }

// A barrier that orders nothing, where nothing has to be ordered.
kernel void waits_only(global int *a) { a[get_local_id(0)] = 1; barrier(0); a[get_local_id(0)] += 1; }

// Copies of a loop, beside accesses of which nobody says that the waits order them.
kernel void copied_in_turn(global int *b, global const int *a, int n) {
    local int s[64];
    int i = get_local_id(0);
    for (int k = 0; k < n; k++) {
        event_t e = async_work_group_copy(s, a + 64 * k, 64, 0);
        wait_group_events(1, &e);
        b[i] += s[i ^ 1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

kernel void several_events(global int *b, global const int *a) {
    local int s[64], t[64];
    int i = get_local_id(0);
    event_t e[2];
    e[0] = async_work_group_copy(s, a, 64, 0);
    e[1] = async_work_group_copy(t, a + 64, 64, 0);
    wait_group_events(2, e);
    b[i] = s[i ^ 1] + t[63 - i];
}

// What nobody writes is the same beside a fence: a table says where, and a work-item that overflows goes no further.
__constant int places[4] = {1, 0, 3, 2};
kernel void table_beside_a_fence(global int *a, local int *s) {
  int i = get_local_id(0);
  a[i] = 1;
  s[(i & 60) + places[i & 3]] = a[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  a[i] = s[63 - i];
}
kernel void overflow_beside_a_fence(global int *a, local int *s) {
  int i = get_local_id(0);
  s[i] = 1;
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (i > 0) { int x = i + 2147483647; s[i - 1] = x; }
}

kernel void layers(write_only image2d_array_t im) { write_imagef(im, (int4)(1, 2, get_local_id(0), 0), (float4)(0)); }
