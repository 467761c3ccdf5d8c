// What CUDA's headers declare for kernels, as far as a reader of kernels needs it: no definitions but
// those of operators. A function without a body is one that the device provides.
#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define CUDARTAPI
#define CUDART_CB
#ifndef NULL
#define NULL __null
#endif
#define BC_D __attribute__((device))
#define BC_HD __attribute__((host)) __attribute__((device))
#define BC_OP __attribute__((host)) __attribute__((device)) inline

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
#define BC_INTS(X) X(int) X(unsigned) X(long) X(unsigned long) X(long long) X(unsigned long long)
#include "math.h"
#include "ranges.h"
#include "stdint.h"

#define BC_ALIGNED(T, L) alignas(sizeof(T) * L < 16 ? sizeof(T) * L : 16)
#define BC_VECTOR(T, N)                                                                            \
  struct N##1 { T x; };                                                                            \
  struct BC_ALIGNED(T, 2) N##2 { T x, y; };                                                        \
  struct N##3 { T x, y, z; };                                                                      \
  struct BC_ALIGNED(T, 4) N##4 { T x, y, z, w; };                                                                   \
  BC_HD N##1 make_##N##1(T);                                                                       \
  BC_HD N##2 make_##N##2(T, T);                                                                    \
  BC_HD N##3 make_##N##3(T, T, T);                                                                 \
  BC_HD N##4 make_##N##4(T, T, T, T);
BC_VECTOR(signed char, char)
BC_VECTOR(unsigned char, uchar)
BC_VECTOR(short, short)
BC_VECTOR(unsigned short, ushort)
BC_VECTOR(int, int)
BC_VECTOR(unsigned int, uint)
BC_VECTOR(long, long)
BC_VECTOR(unsigned long, ulong)
BC_VECTOR(long long, longlong)
BC_VECTOR(unsigned long long, ulonglong)
BC_VECTOR(float, float)
BC_VECTOR(double, double)
struct dim3 {
  unsigned x, y, z;
  BC_HD constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  BC_HD constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  BC_HD constexpr operator uint3() const { return uint3{x, y, z}; }
};
extern const __device__ uint3 threadIdx, blockIdx;
extern const __device__ dim3 blockDim, gridDim;
extern const __device__ int warpSize;

// Launches.
typedef enum cudaError { cudaSuccess = 0, cudaErrorUnknown = 999 } cudaError_t;
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUarray_st *cudaArray_t;
typedef unsigned long long cudaTextureObject_t, cudaSurfaceObject_t, CUtexObject, CUsurfObject;
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost,
                      cudaMemcpyDeviceToDevice, cudaMemcpyDefault };
struct cudaDeviceProp { char name[256]; size_t totalGlobalMem, sharedMemPerBlock, totalConstMem;
  int major, minor, multiProcessorCount, maxThreadsPerBlock, warpSize, regsPerBlock, clockRate, concurrentKernels,
  canMapHostMemory, maxThreadsPerMultiProcessor, cooperativeLaunch, managedMemory, concurrentManagedAccess,
  maxThreadsDim[3], maxGridSize[3]; };
extern "C" cudaError_t cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);
extern "C" unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, cudaStream_t = 0);
template <class... A> cudaError_t cudaMalloc(A...);
template <class... A> cudaError_t cudaMallocHost(A...);
template <class... A> cudaError_t cudaMallocManaged(A...);
template <class... A> cudaError_t cudaHostAlloc(A...);
template <class... A> cudaError_t cudaMallocPitch(A...);
template <class... A> cudaError_t cudaFree(A...);
template <class... A> cudaError_t cudaFreeHost(A...);
template <class... A> cudaError_t cudaMemcpy(A...);
template <class... A> cudaError_t cudaMemcpyAsync(A...);
template <class... A> cudaError_t cudaMemset(A...);
template <class A, class... B> cudaError_t cudaMemcpyToSymbol(A &, B...);
template <class A, class... B> cudaError_t cudaMemcpyFromSymbol(B..., A &);
template <class... A> cudaError_t cudaEventCreate(A...);
template <class... A> cudaError_t cudaEventRecord(A...);
template <class... A> cudaError_t cudaEventSynchronize(A...);
template <class... A> cudaError_t cudaEventElapsedTime(A...);
template <class... A> cudaError_t cudaEventDestroy(A...);
template <class... A> cudaError_t cudaStreamCreate(A...);
template <class... A> cudaError_t cudaStreamSynchronize(A...);
template <class... A> cudaError_t cudaStreamDestroy(A...);
template <class... A> cudaError_t cudaStreamQuery(A...);
struct cudaGraphicsResource;
enum cudaGraphicsMapFlags { cudaGraphicsMapFlagsNone, cudaGraphicsMapFlagsReadOnly, cudaGraphicsMapFlagsWriteDiscard };
template <class... A> cudaError_t cudaGraphicsResourceSetMapFlags(A...);
template <class... A> cudaError_t cudaGraphicsMapResources(A...);
template <class... A> cudaError_t cudaGraphicsUnmapResources(A...);
template <class... A> cudaError_t cudaGraphicsResourceGetMappedPointer(A...);
template <class... A> cudaError_t cudaGraphicsUnregisterResource(A...);
template <class... A> cudaError_t cudaGetDeviceProperties(A...);
template <class... A> cudaError_t cudaGetDevice(A...);
template <class... A> cudaError_t cudaSetDevice(A...);
template <class... A> cudaError_t cudaGetDeviceCount(A...);
template <class... A> cudaError_t cudaLaunchCooperativeKernel(A...);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaThreadSynchronize();
cudaError_t cudaDeviceReset();
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char *cudaGetErrorString(cudaError_t);

// Barriers, fences, votes and exchanges.
BC_D void __syncthreads();
BC_D int __syncthreads_count(int);
BC_D int __syncthreads_and(int);
BC_D int __syncthreads_or(int);
BC_D void __syncwarp(unsigned = 0xffffffff);
BC_D void __threadfence();
BC_D void __threadfence_block();
BC_D void __threadfence_system();
BC_D void __nanosleep(unsigned);
BC_D void __trap();
// Clang's own has no declaration.
BC_HD void __assume(bool);
#define __builtin_assume(condition) __assume(condition)
BC_D void __brkpt();
BC_D int __any_sync(unsigned, int);
BC_D int __all_sync(unsigned, int);
BC_D unsigned __ballot_sync(unsigned, int);
BC_D int __any(int);
BC_D int __all(int);
BC_D unsigned __ballot(int);
BC_D unsigned __activemask();
BC_D long long clock64();
BC_D long clock();
#define BC_SHUFFLE(T)                                                                              \
  BC_D T __shfl_sync(unsigned, T, int, int = 32);                                                  \
  BC_D T __shfl_up_sync(unsigned, T, unsigned, int = 32);                                          \
  BC_D T __shfl_down_sync(unsigned, T, unsigned, int = 32);                                        \
  BC_D T __shfl_xor_sync(unsigned, T, int, int = 32);                                              \
  BC_D T __shfl(T, int, int = 32);                                                                 \
  BC_D T __shfl_up(T, unsigned, int = 32);                                                         \
  BC_D T __shfl_down(T, unsigned, int = 32);                                                       \
  BC_D T __shfl_xor(T, int, int = 32);
BC_INTS(BC_SHUFFLE) BC_SHUFFLE(float) BC_SHUFFLE(double)
#define BC_REDUCE(T)                                                                               \
  BC_D T __reduce_add_sync(unsigned, T);                                                           \
  BC_D T __reduce_min_sync(unsigned, T);                                                           \
  BC_D T __reduce_max_sync(unsigned, T);
BC_REDUCE(int) BC_REDUCE(unsigned)
BC_D unsigned __reduce_and_sync(unsigned, unsigned);
BC_D unsigned __reduce_or_sync(unsigned, unsigned);
BC_D unsigned __reduce_xor_sync(unsigned, unsigned);
#define BC_MATCH(T) BC_D unsigned __match_any_sync(unsigned, T);
BC_INTS(BC_MATCH) BC_MATCH(float) BC_MATCH(double)

// Atomics.
#define BC_ATOMIC(F, T) BC_D T F(T *, T); BC_D T F##_block(T *, T); BC_D T F##_system(T *, T);
#define BC_ALL_ATOMICS(T)                                                                          \
  BC_ATOMIC(atomicAdd, T) BC_ATOMIC(atomicExch, T) BC_ATOMIC(atomicMin, T) BC_ATOMIC(atomicMax, T) \
  BC_ATOMIC(atomicAnd, T) BC_ATOMIC(atomicOr, T) BC_ATOMIC(atomicXor, T) BC_ATOMIC(atomicSub, T)   \
  BC_D T atomicCAS(T *, T, T); BC_D T atomicCAS_block(T *, T, T); BC_D T atomicCAS_system(T *, T, T);
BC_INTS(BC_ALL_ATOMICS)
BC_ATOMIC(atomicAdd, float) BC_ATOMIC(atomicAdd, double) BC_ATOMIC(atomicExch, float)
BC_ATOMIC(atomicInc, unsigned) BC_ATOMIC(atomicDec, unsigned)
BC_D unsigned short atomicCAS(unsigned short *, unsigned short, unsigned short);

// Loads and stores with hints.
#define BC_LOADS(T)                                                                                \
  BC_D T __ldg(const T *); BC_D T __ldca(const T *); BC_D T __ldcg(const T *);                     \
  BC_D T __ldcs(const T *); BC_D T __ldlu(const T *); BC_D T __ldcv(const T *);                    \
  BC_D void __stwb(T *, T); BC_D void __stcg(T *, T); BC_D void __stcs(T *, T); BC_D void __stwt(T *, T);
BC_INTS(BC_LOADS) BC_LOADS(float) BC_LOADS(double) BC_LOADS(char) BC_LOADS(signed char)
BC_LOADS(unsigned char) BC_LOADS(short) BC_LOADS(unsigned short) BC_LOADS(float2) BC_LOADS(float4)
BC_LOADS(int2) BC_LOADS(int4) BC_LOADS(uint2) BC_LOADS(uint4) BC_LOADS(double2)

// Mathematics. What is not a float counts as a double.
namespace babycuda {
template <bool, class T> struct only {};
template <class T> struct only<true, T> { typedef T type; };
template <class T> struct integral { static const bool is = false; };
#define BC_INTEGRAL(T) template <> struct integral<T> { static const bool is = true; };
BC_INTS(BC_INTEGRAL) BC_INTEGRAL(char) BC_INTEGRAL(signed char) BC_INTEGRAL(unsigned char)
BC_INTEGRAL(short) BC_INTEGRAL(unsigned short) BC_INTEGRAL(bool)
}
#define BC_MATH1(F)                                                                                \
  BC_D float F(float); BC_D double F(double);                                                      \
  template <class I> BC_D typename babycuda::only<babycuda::integral<I>::is, double>::type F(I);
#define BC_MATH1F(F) BC_D float F##f(float); BC_MATH1(F)
#define BC_MATH2(F) BC_D float F##f(float, float);                                                 \
  BC_D float F(float, float); BC_D double F(double, double); BC_D double F(float, double);         \
  BC_D double F(double, float); BC_D double F(int, double); BC_D double F(double, int);            \
  BC_D double F(int, float); BC_D double F(float, int); BC_D double F(int, int);
BC_MATH1F(acos) BC_MATH1F(acosh) BC_MATH1F(asin) BC_MATH1F(asinh) BC_MATH1F(atan) BC_MATH1F(atanh)
BC_MATH1F(cbrt) BC_MATH1F(ceil) BC_MATH1F(cos) BC_MATH1F(cosh) BC_MATH1F(cospi) BC_MATH1F(erf)
BC_MATH1F(erfc) BC_MATH1F(exp) BC_MATH1F(exp10) BC_MATH1F(exp2) BC_MATH1F(expm1) BC_MATH1F(fabs)
BC_MATH1F(floor) BC_MATH1F(lgamma) BC_MATH1F(log) BC_MATH1F(log10) BC_MATH1F(log1p) BC_MATH1F(log2)
BC_MATH1F(nearbyint) BC_MATH1F(rcbrt) BC_MATH1F(rint) BC_MATH1F(round) BC_MATH1F(rsqrt)
BC_MATH1F(sin) BC_MATH1F(sinh) BC_MATH1F(sinpi) BC_MATH1F(sqrt) BC_MATH1F(tan) BC_MATH1F(tanh)
BC_MATH1F(tgamma) BC_MATH1F(trunc)
BC_MATH2(atan2) BC_MATH2(copysign) BC_MATH2(fdim) BC_MATH2(fmax) BC_MATH2(fmin) BC_MATH2(fmod)
BC_MATH2(hypot) BC_MATH2(pow) BC_MATH2(remainder)
BC_D float fmaf(float, float, float); BC_D float fma(float, float, float);
BC_D double fma(double, double, double);
BC_D float ldexpf(float, int); BC_D double ldexp(double, int); BC_D float powif(float, int);
BC_D float fdividef(float, float); BC_D float norm3df(float, float, float);
BC_D double norm3d(double, double, double);
BC_D bool isnan(float); BC_D bool isnan(double); BC_D bool isinf(float); BC_D bool isinf(double);
BC_D bool isfinite(float); BC_D bool isfinite(double); BC_D bool signbit(float); BC_D bool signbit(double);
#define BC_F1(F) BC_D float F(float);
#define BC_F2(F) BC_D float F(float, float);
BC_F1(__cosf) BC_F1(__sinf) BC_F1(__tanf) BC_F1(__expf) BC_F1(__exp10f) BC_F1(__logf) BC_F1(__log2f)
BC_F1(__log10f) BC_F1(__saturatef) BC_F1(__frcp_rn) BC_F1(__fsqrt_rn) BC_F1(__frsqrt_rn)
BC_F2(__powf) BC_F2(__fdividef) BC_F2(__fadd_rn) BC_F2(__fsub_rn) BC_F2(__fmul_rn) BC_F2(__fdiv_rn)
BC_D float __fmaf_rn(float, float, float);
BC_D void __sincosf(float, float *, float *); BC_D void sincosf(float, float *, float *);
BC_D void sincos(double, double *, double *); BC_D float modff(float, float *); BC_D double modf(double, double *);
BC_D float frexpf(float, int *); BC_D float frexp(float, int *); BC_D double frexp(double, int *);
BC_D float remquof(float, float, int *); BC_D double remquo(double, double, int *);
BC_D double __dadd_rn(double, double); BC_D double __dmul_rn(double, double);
BC_D double __fma_rn(double, double, double);
BC_D float __int2float_rn(int); BC_D float __int2float_rz(int); BC_D float __uint2float_rn(unsigned);
BC_D double __int2double_rn(int); BC_D double __uint2double_rn(unsigned); BC_D float __int_as_float(int);
BC_D float __uint_as_float(unsigned); BC_D double __longlong_as_double(long long);
BC_D float __ll2float_rn(long long); BC_D float __ull2float_rn(unsigned long long);
BC_D float __double2float_rn(double);
BC_D int __float2int_rn(float); BC_D int __float2int_rz(float); BC_D int __float2int_rd(float);
BC_D int __float2int_ru(float); BC_D int __float_as_int(float); BC_D unsigned __float2uint_rn(float);
BC_D unsigned __float2uint_rz(float); BC_D unsigned __float_as_uint(float);
BC_D long long __double_as_longlong(double); BC_D long lroundf(float); BC_D long lround(double);
BC_D long lrintf(float); BC_D long lrint(double); BC_D long long llroundf(float);
BC_D int __popc(unsigned); BC_D int __popcll(unsigned long long); BC_D int __clz(int);
BC_D int __clzll(long long); BC_D int __ffs(int); BC_D int __ffsll(long long);
BC_D unsigned __brev(unsigned); BC_D int __mulhi(int, int); BC_D unsigned __umulhi(unsigned, unsigned);
BC_D int __rhadd(int, int); BC_D unsigned __urhadd(unsigned, unsigned); BC_D unsigned __uhadd(unsigned, unsigned);
BC_D unsigned __sad(int, int, unsigned); BC_D unsigned __usad(unsigned, unsigned, unsigned); BC_D unsigned __byte_perm(unsigned, unsigned, unsigned);
BC_D unsigned __funnelshift_l(unsigned, unsigned, unsigned); BC_D unsigned __funnelshift_lc(unsigned, unsigned, unsigned);
BC_D unsigned __funnelshift_r(unsigned, unsigned, unsigned); BC_D unsigned __funnelshift_rc(unsigned, unsigned, unsigned);
#define BC_PARTS(F) BC_D unsigned __v##F##2(unsigned, unsigned); BC_D unsigned __v##F##4(unsigned, unsigned);
#define BC_PART(F) BC_D unsigned __v##F##2(unsigned); BC_D unsigned __v##F##4(unsigned);
BC_PART(abs) BC_PARTS(absdiffs) BC_PARTS(absdiffu) BC_PART(absss) BC_PARTS(add) BC_PARTS(addss)
BC_PARTS(addus) BC_PARTS(avgs) BC_PARTS(avgu) BC_PARTS(cmpeq) BC_PARTS(cmpges) BC_PARTS(cmpgeu)
BC_PARTS(cmpgts) BC_PARTS(cmpgtu) BC_PARTS(cmples) BC_PARTS(cmpleu) BC_PARTS(cmplts) BC_PARTS(cmpltu)
BC_PARTS(cmpne) BC_PARTS(haddu) BC_PARTS(maxs) BC_PARTS(maxu) BC_PARTS(mins) BC_PARTS(minu) BC_PART(neg)
BC_PART(negss) BC_PARTS(sads) BC_PARTS(sadu) BC_PARTS(seteq) BC_PARTS(setges) BC_PARTS(setgeu)
BC_PARTS(setgts) BC_PARTS(setgtu) BC_PARTS(setles) BC_PARTS(setleu) BC_PARTS(setlts) BC_PARTS(setltu)
BC_PARTS(setne) BC_PARTS(sub) BC_PARTS(subss) BC_PARTS(subus)
BC_D int __dp4a(int, int, int); BC_D unsigned __dp4a(unsigned, unsigned, unsigned);
BC_D int __dp2a_lo(int, int, int); BC_D unsigned __dp2a_lo(unsigned, unsigned, unsigned);
BC_D int __dp2a_hi(int, int, int); BC_D unsigned __dp2a_hi(unsigned, unsigned, unsigned);
#define BC_ROUNDED(R) BC_D unsigned __float2uint_##R(float); BC_D int __double2int_##R(double); \
  BC_D unsigned __double2uint_##R(double); BC_D long long __float2ll_##R(float); BC_D long long __double2ll_##R(double); \
  BC_D unsigned long long __float2ull_##R(float); BC_D unsigned long long __double2ull_##R(double);
BC_ROUNDED(rn) BC_ROUNDED(rz) BC_ROUNDED(rd) BC_ROUNDED(ru)
BC_D long long __mul64hi(long long, long long); BC_D unsigned long long __umul64hi(unsigned long long, unsigned long long);
BC_D unsigned long long __brevll(unsigned long long);
BC_D int __mul24(int, int); BC_D unsigned __umul24(unsigned, unsigned);
BC_D int __float2int_rn(float);
#define BC_ORDER(T) BC_HD T min(T, T); BC_HD T max(T, T);
BC_INTS(BC_ORDER) BC_ORDER(float) BC_ORDER(double)
#define BC_MIXED(R, A, B) BC_HD R min(A, B); BC_HD R max(A, B); BC_HD R min(B, A); BC_HD R max(B, A);
BC_MIXED(unsigned, int, unsigned) BC_MIXED(unsigned long, long, unsigned long)
BC_MIXED(unsigned long long, long long, unsigned long long) BC_MIXED(double, float, double)
BC_HD unsigned umin(unsigned, unsigned); BC_HD unsigned umax(unsigned, unsigned);
BC_HD int abs(int); BC_HD long abs(long); BC_HD long long abs(long long); BC_HD float abs(float);
BC_HD double abs(double); BC_HD long labs(long); BC_HD long long llabs(long long);

// Output, memory.
extern "C" BC_HD int printf(const char *, ...);
extern "C" BC_HD void *malloc(size_t);
extern "C" BC_HD void free(void *);
extern "C" BC_HD void *memcpy(void *, const void *, size_t);
extern "C" BC_HD void *memmove(void *, const void *, size_t);
extern "C" BC_HD void *memset(void *, int, size_t);
BC_D void __pipeline_memcpy_async(void *, const void *, size_t, size_t = 0);
BC_D void __pipeline_commit();
BC_D void __pipeline_wait_prior(size_t);
BC_D void __pipeline_arrive_on(void *);
void exit(int);
int atoi(const char *);
double atof(const char *);
int rand();
void srand(unsigned);
struct FILE;
int fprintf(FILE *, const char *, ...);
extern FILE *stderr, *stdout, *stdin;
#define RAND_MAX 2147483647
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1

namespace std {
using ::size_t; using ::ptrdiff_t; using ::abs; using ::sqrt; using ::exp; using ::log; using ::pow;
using ::sin; using ::cos; using ::tan; using ::fabs; using ::floor; using ::ceil; using ::fmax; using ::fmin;
using ::printf; using ::round; using ::isnan; using ::isinf;
template <class T> BC_D void swap(T &, T &);
template <class T> BC_HD constexpr const T &min(const T &a, const T &b) { return b < a ? b : a; }
template <class T> BC_HD constexpr const T &max(const T &a, const T &b) { return a < b ? b : a; }
template <class T> struct remove_reference { typedef T type; };
template <class T> struct remove_reference<T &> { typedef T type; };
template <class T> struct remove_reference<T &&> { typedef T type; };
template <class A, class B> struct is_same { static const bool value = false; };
template <class A> struct is_same<A, A> { static const bool value = true; };
template <bool C, class A, class B> struct conditional { typedef A type; };
template <class A, class B> struct conditional<false, A, B> { typedef B type; };
template <bool C, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { typedef T type; };
template <class T> BC_HD constexpr typename remove_reference<T>::type &&move(T &&t) {
  return static_cast<typename remove_reference<T>::type &&>(t);
}
template <class T> struct allocator {};
template <class T, class A = allocator<T>> struct vector {
  typedef T value_type; typedef T *iterator; typedef const T *const_iterator;
  template <class... B> vector(B...);
  T &operator[](size_t); const T &operator[](size_t) const;
  T *data(); T *begin(); T *end(); T &front(); T &back(); size_t size() const; bool empty() const;
  void push_back(const T &); void pop_back(); void clear(); template <class... B> void resize(B...); void reserve(size_t);
};
struct string {
  template <class... B> string(B...);
  const char *c_str() const; size_t size() const; size_t length() const; bool empty() const; char &operator[](size_t);
};
struct ostream {}; struct istream {}; struct ifstream : istream {}; struct ofstream : ostream {};
struct stringstream : ostream {}; struct ostringstream : ostream {};
template <class T> ostream &operator<<(ostream &, const T &);
ostream &operator<<(ostream &, ostream &(*)(ostream &));
template <class T> istream &operator>>(istream &, T &);
ostream &endl(ostream &);
extern ostream cout, cerr; extern istream cin;
template <class A, class B> struct pair { A first; B second; };
template <class A, class B> struct map { B &operator[](const A &); size_t size() const; };
template <class T> struct shared_ptr { T *get() const; T *operator->() const; T &operator*() const; };
template <class T> struct unique_ptr { T *get() const; T *operator->() const; T &operator*() const; };
template <class T> string to_string(T);
template <class... A> void sort(A...); template <class... A> void copy(A...); template <class... A> void fill(A...);
}
namespace nvcuda { namespace wmma {} } namespace thrust {} namespace cub {} namespace cuda {}
typedef long clock_t; clock_t clock_of_host(); struct timeval { long tv_sec, tv_usec; };
struct cudaArray; struct cudaExtent { size_t width, height, depth; }; struct cudaPos { size_t x, y, z; };
struct cudaPitchedPtr { void *ptr; size_t pitch, xsize, ysize; };
struct cudaChannelFormatDesc { int x, y, z, w, f; };
struct cudaResourceDesc; struct cudaTextureDesc; struct cudaMemcpy3DParms;

// Textures and surfaces.
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
enum cudaTextureType { cudaTextureType1D = 1, cudaTextureType2D, cudaTextureType3D, cudaTextureType1DLayered = 0xf1,
                       cudaTextureType2DLayered = 0xf2, cudaTextureTypeCubemap = 0xc };
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };
template <class T, int D = 1, cudaTextureReadMode M = cudaReadModeElementType> struct texture { int filterMode, normalized, addressMode[3]; };
template <class T, int D = 1> struct surface {};
namespace babycuda {
template <class T, cudaTextureReadMode M> struct texel { typedef T type; };
template <> struct texel<unsigned char, cudaReadModeNormalizedFloat> { typedef float type; };
template <> struct texel<uchar4, cudaReadModeNormalizedFloat> { typedef float4 type; };
template <> struct texel<unsigned short, cudaReadModeNormalizedFloat> { typedef float type; };
template <class T> struct same { typedef T type; };
}
#define BC_TEXTURE(F, ...)                                                                         \
  template <class T, int D, cudaTextureReadMode M>                                                 \
  BC_D typename babycuda::texel<T, M>::type F(texture<T, D, M>, __VA_ARGS__);                      \
  template <class T> BC_D T F(cudaTextureObject_t, __VA_ARGS__);                                   \
  template <class T> BC_D void F(T *, cudaTextureObject_t, __VA_ARGS__);
BC_TEXTURE(tex1Dfetch, int) BC_TEXTURE(tex1D, float) BC_TEXTURE(tex2D, float, float)
BC_TEXTURE(tex3D, float, float, float) BC_TEXTURE(tex1DLod, float, float) BC_TEXTURE(tex2DLod, float, float, float)
BC_TEXTURE(tex3DLod, float, float, float, float) BC_TEXTURE(tex1DLayered, float, int)
BC_TEXTURE(tex2DLayered, float, float, int) BC_TEXTURE(texCubemap, float, float, float)
BC_TEXTURE(texCubemapLayered, float, float, float, int) BC_TEXTURE(tex2Dgather, float, float, int)
#define BC_SURFACE(D, ...)                                                                         \
  template <class T> BC_D T surf##D##read(cudaSurfaceObject_t, __VA_ARGS__, cudaSurfaceBoundaryMode = cudaBoundaryModeTrap); \
  template <class T> BC_D void surf##D##read(T *, cudaSurfaceObject_t, __VA_ARGS__, cudaSurfaceBoundaryMode = cudaBoundaryModeTrap); \
  template <class T> BC_D void surf##D##write(T, cudaSurfaceObject_t, __VA_ARGS__, cudaSurfaceBoundaryMode = cudaBoundaryModeTrap); \
  template <class T, class S, int N> BC_D void surf##D##write(T, surface<S, N>, __VA_ARGS__, cudaSurfaceBoundaryMode = cudaBoundaryModeTrap);
BC_SURFACE(1D, int) BC_SURFACE(2D, int, int) BC_SURFACE(3D, int, int, int) BC_SURFACE(2DLayered, int, int, int)
