/* The prelude of numbers.h and interpreter.h for OpenCL C 1.2 with 64-bit atomics. */

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

typedef uint u32;
typedef ulong u64;

#define KERNEL __kernel
#define FUNCTION static inline
#define GLOBAL __global
#define SHARED __local
#define RESTRICT restrict

#define GROUP ((u32)get_group_id(0))
#define LANE ((u32)get_local_id(0))
#define LANES ((u32)get_local_size(0))

/* The accesses of a phase are visible to the next one's: the fence is over global memory too. */
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
/* Barriers of subgroups are no part of this version. */
#define HAS_WARPS false
#define WARP_BARRIER()
#define WARP_ANY(condition) false
#define SHARED_MIN(word, value) atomic_min(word, value)
#define SHARED_MAX(word, value) atomic_max(word, value)
#define INCREMENT(word) atomic_inc(word)
#define COMPARE_AND_SWAP(cell, expected, value) atom_cmpxchg(cell, expected, value)
#define HIGH_PRODUCT(left, right) mul_hi(left, right)

