// None of these kernels has a race in a block of 64 threads.
struct S { int x, y; };
__global__ void fields(S *a) { a[threadIdx.x].x = 1; a[threadIdx.x].y = 2; }
__global__ void fields2(S *a) { if (threadIdx.x & 1) a[threadIdx.x / 2].x = 1; else a[threadIdx.x / 2].y = 2; }
__global__ void byref(int *a) { int k = 1; auto f = [&] { k = threadIdx.x; }; f(); a[k] = 1; }
__global__ void byval(int *a) { int k = threadIdx.x; auto f = [=]() mutable { k = 0; }; f(); a[k] = 1; }
struct P { int k; __device__ void inc() { k += 1; } };
__global__ void method(int *a) { P p{(int)threadIdx.x}; p.inc(); a[p.k] = 1; }
__device__ void set(int &r) { r = threadIdx.x; }
__global__ void refp(int *a) { int k = 0; set(k); a[k] = 1; }
template <class T> __global__ void tk(T *a) { a[threadIdx.x] = 1; }
void host() { tk<<<1, 1>>>((float *)0); tk<int><<<1, 1>>>(0); }
struct Q { int v[2]; };
__global__ void copy(int *a) { Q q; q.v[0] = threadIdx.x; Q r = q; q.v[0] = 0; a[r.v[0]] = 1; }
union U { int i; unsigned u; };
__global__ void uni(int *a) { U v; v.i = threadIdx.x; a[v.u] = 1; }
__global__ void dflt(int *a) { struct L { int k = 5; } l; l.k = threadIdx.x; a[l.k] = 1; }
__global__ void sw(int *a) { int k = threadIdx.x; switch (k & 1) { case 0: { k = k; break; } default: break; } a[k] = 1; }
__device__ int f(int x) { return 0; }
__device__ int f(unsigned x) { return x; }
__device__ int f(double x) { return 0; }
__global__ void over(int *a) { a[f(threadIdx.x)] = 1; }
namespace n { __device__ int g(int x) { return x; } }
namespace m { __device__ int g(int x) { return 0; } }
using namespace n;
__global__ void ns(int *a) { a[g(threadIdx.x)] = 1; }

// Layouts that are said.
struct __align__(16) aligned { float x, y, z; };
__global__ void with_aligned(aligned *s) {
  float4 all = ((float4 *)s)[threadIdx.x];
  s[threadIdx.x].x = all.x + 1;
}
