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
