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
