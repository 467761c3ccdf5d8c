/* The prelude of numbers.h and interpreter.h for CUDA C. */

typedef unsigned int u32;
typedef unsigned long long u64;

/* The bound makes the compiler keep to the registers that the largest block leaves a thread. */
#define KERNEL extern "C" __global__ __launch_bounds__(1024)
#define FUNCTION static __device__ __forceinline__
#define GLOBAL
#define SHARED __shared__
#define RESTRICT __restrict__

#define GROUP blockIdx.x
#define LANE threadIdx.x
#define LANES blockDim.x

/* Orders the accesses of the block's threads to shared and global memory. */
#define BARRIER() __syncthreads()
#define HAS_WARPS true
/* Lanes that the workgroup does not have are waited for by nobody. */
#define WARP_BARRIER() __syncwarp()
#define WARP_ANY(condition) __any_sync(0xffffffffu, condition)
#define SHARED_MIN(word, value) atomicMin(word, value)
#define SHARED_MAX(word, value) atomicMax(word, value)
#define INCREMENT(word) atomicAdd((u32 *)(word), 1u)
/* Atomic operations are never left out or repeated, so they need no `volatile`. */
#define COMPARE_AND_SWAP(cell, expected, value) atomicCAS((u64 *)(cell), expected, value)
#define HIGH_PRODUCT(left, right) __umul64hi(left, right)

