// In blocks of 64 threads, none of these kernels has a race that is known, or is known to have none.

// A flag at an index by thread, in global memory, and names that are given out again after a loop that was not unrolled.
__global__ void flags_of_pairs(int *a, int *b) { __shared__ int go[2]; if (threadIdx.x < 2) go[threadIdx.x] = b[threadIdx.x]; __syncthreads(); if (go[threadIdx.x & 1]) { a[threadIdx.x] = 1; __syncthreads(); a[threadIdx.x ^ 1] = 2; } }
__global__ void flag_of_the_host(int *a, volatile int *b) { if (b[0]) { a[threadIdx.x] = 1; __syncthreads(); a[threadIdx.x ^ 1] = 2; } }
__global__ void name_again(int *a, int *b) { __shared__ int s[64]; int i = threadIdx.x; s[i] = b[i]; __syncthreads(); int x = 0, w = 0; for (int j = 0; j < 1000; j++) { x = (x * x + 3) % 7; w += s[x]; } if (s[i]) { if (i == 0) a[0] = 1; __syncthreads(); } else { if (i == 1) a[0] = 1; __syncthreads(); } }
// Not every value of a flag is possible.
__global__ void never_taken(int *a) { __shared__ int go; if (threadIdx.x == 0) go = 0; __syncthreads(); if (go) { a[0] = threadIdx.x; __syncthreads(); } }
// Each iteration has a flag of its own.
__global__ void flag_in_loop(int *a, int *b, int n) { __shared__ int go; for (int i = 0; i < n; i++) { if (threadIdx.x == 0) go = b[i]; __syncthreads(); if (go) { a[threadIdx.x] = i; __syncthreads(); } __syncthreads(); } }
// A mask that is no tile orders what it names, and that is not followed.
__global__ void unaligned_mask(int *a) { __shared__ int s[16]; int i = threadIdx.x; if (i >= 4 && i < 12) { s[i] = 1; __syncwarp(0xff0); a[i] = s[i ^ 1]; } }
__global__ void mask_of_host(int *a, unsigned mask) { __shared__ int s[64]; int i = threadIdx.x; s[i] = 1; __syncwarp(mask); a[i] = s[i ^ 1]; }
// What is expected is no constant.
__global__ void expected_of_effect(int *a, int n) { int i = 0; if (__builtin_expect(n > 0, i++)) a[threadIdx.x + 1] = 1; a[(i - 1) * threadIdx.x] = threadIdx.x; }
