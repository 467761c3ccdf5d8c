// One text for OpenCL C and CUDA C.
#ifdef OPENCL
#define KERNEL __kernel
#define GLOBAL __global
#define SHARED __local
#define THREAD ((int)get_local_id(0))
#define BLOCK ((int)get_group_id(0))
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define ATOMIC_ADD(place, value) atomic_add(place, value)
#else
#define KERNEL __global__
#define GLOBAL
#define SHARED __shared__
#define THREAD ((int)threadIdx.x)
#define BLOCK ((int)blockIdx.x)
#define BARRIER __syncthreads()
#define ATOMIC_ADD(place, value) atomicAdd(place, value)
#endif
