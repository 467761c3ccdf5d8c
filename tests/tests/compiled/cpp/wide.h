// What a kernel with casts, structures and objects needs to be compiled as C++. The compiler puts a call before
// each access of memory (`-fsanitize=thread`; wide.cpp has what it calls), so that the text stands as it is. Only
// a structure that a call takes or gives by value has no such call: `BC_ARG` and `BC_SET` copy it.
typedef unsigned long u64;
typedef __SIZE_TYPE__ size_t;
#define RT_QUIET __attribute__((no_sanitize_thread))

// The run-time system.
char *rt_pointer(const char *name, u64 element);
void rt_array(const char *name, void *zero, void *begin, u64 size, u64 element);
extern char rt_dynamic[1 << 20];
void rt_atomic(void *place, u64 size);
void rt_copied(void *to, const void *from, u64 size);
void rt_sync();
void rt_grid();
void rt_tile();
void rt_warp(unsigned mask);
void rt_surface(const char *name, long place, u64 size, bool writes);
void rt_copy_async(void *to, const void *from, u64 size);
void rt_commit();
void rt_wait_prior(u64 stages);
long rt_param(int number);
void *rt_memcpy(void *to, const void *from, u64 size);
void *rt_memset(void *to, int value, u64 size);
struct Position { unsigned x, y, z; };
extern Position threadIdx, blockIdx, blockDim, gridDim;

#define memcpy rt_memcpy
#define memset rt_memset
#define __global__ static
#define __device__
#define __constant__ static
#define __forceinline__ inline
#define __restrict__
#define __align__(n) __attribute__((aligned(n)))
#define __syncthreads() rt_sync()
inline int __syncthreads_count(int p) { rt_sync(); return p; }
inline void __syncwarp(unsigned mask = 0xffffffff) { rt_warp(mask); }
#define assert(condition)
#define __builtin_assume(condition)
#define __pipeline_memcpy_async rt_copy_async
#define __pipeline_commit rt_commit
#define __pipeline_wait_prior rt_wait_prior

template <class T> T rt_copy(const T &value) { T copy = value; return copy; }
template <class T> void rt_set(T &place, T value) { place = value; }
#define BC_ARG(...) rt_copy(__VA_ARGS__)
#define BC_SET(place, ...) rt_set(place, __VA_ARGS__)
// A copy of a structure may copy its gaps.
#define BC_COPIED(name, ...)                                                                       \
  name() = default;                                                                                \
  name(const name &o) {                                                                            \
    rt_copied(this, &o, sizeof o);                                                                 \
    __VA_ARGS__                                                                                    \
  }                                                                                                \
  name &operator=(const name &o) {                                                                 \
    rt_copied(this, &o, sizeof o);                                                                 \
    __VA_ARGS__                                                                                    \
    return *this;                                                                                  \
  }
template <class T> void rt_part(T &to, const T &from) { to = from; }
template <class T, int n> void rt_part(T (&to)[n], const T (&from)[n]) {
  for (int k = 0; k < n; k++) rt_part(to[k], from[k]);
}

// What lies around the array belongs to it.
template <class T> struct rt_Shared {
  char before[1 << 12];
  alignas(16) T all;
  char behind[1 << 16];
};
#define BC_SMEM(T, name, dims)                                                                     \
  typedef T name##_type dims;                                                                      \
  static rt_Shared<name##_type> name##_rt;                                                         \
  name##_type &name = name##_rt.all;                                                               \
  rt_array(#name, &name, &name##_rt, sizeof name##_rt, sizeof(T))
#define BC_XSMEM(T, name)                                                                          \
  T *name = (T *)(rt_dynamic + (1 << 12));                                                         \
  rt_array(#name, name, rt_dynamic, sizeof rt_dynamic, sizeof(T))

#define RT_VECTOR2(T, name, n) struct alignas(n) name { T x, y; };                                 \
  inline name make_##name(T x, T y) { return name{x, y}; }
#define RT_VECTOR3(T, name) struct name { T x, y, z; };                                            \
  inline name make_##name(T x, T y, T z) { return name{x, y, z}; }
#define RT_VECTOR4(T, name, n) struct alignas(n) name { T x, y, z, w; };                           \
  inline name make_##name(T x, T y, T z, T w) { return name{x, y, z, w}; }
RT_VECTOR2(int, int2, 8) RT_VECTOR2(unsigned, uint2, 8) RT_VECTOR2(float, float2, 8)
RT_VECTOR2(double, double2, 16) RT_VECTOR2(short, short2, 4) RT_VECTOR2(long long, longlong2, 16)
RT_VECTOR3(float, float3) RT_VECTOR3(int, int3)
RT_VECTOR4(int, int4, 16) RT_VECTOR4(float, float4, 16) RT_VECTOR4(unsigned char, uchar4, 4)
RT_VECTOR4(unsigned, uint4, 16) RT_VECTOR4(unsigned short, ushort4, 8)

template <class T> struct Same { typedef T type; };
#define RT_ATOMIC(name)                                                                            \
  template <class T> RT_QUIET T name(T *p, typename Same<T>::type v) {                             \
    rt_atomic(p, sizeof(T));                                                                       \
    return v;                                                                                      \
  }
RT_ATOMIC(atomicAdd) RT_ATOMIC(atomicSub) RT_ATOMIC(atomicMin) RT_ATOMIC(atomicMax)
RT_ATOMIC(atomicAnd) RT_ATOMIC(atomicOr) RT_ATOMIC(atomicXor) RT_ATOMIC(atomicExch)
template <class T> T atomicCAS(T *p, typename Same<T>::type, typename Same<T>::type v) {
  return atomicExch(p, v);
}

// What a warp's threads exchange is data.
template <class T> T __shfl_sync(unsigned, T v, int, int = 32) { return v; }
template <class T> T __shfl_xor_sync(unsigned, T v, int, int = 32) { return v; }
template <class T> T __shfl_down_sync(unsigned, T v, unsigned, int = 32) { return v; }
template <class T> T __shfl_up_sync(unsigned, T v, unsigned, int = 32) { return v; }
inline unsigned __ballot_sync(unsigned, int p) { return (unsigned)p; }
inline int __any_sync(unsigned, int p) { return p; }
inline int __all_sync(unsigned, int p) { return p; }
inline unsigned __match_any_sync(unsigned, int v) { return (unsigned)v; }
inline unsigned __reduce_add_sync(unsigned, unsigned v) { return v; }
inline unsigned __activemask() { return 1; }
inline int min(int a, int b) { return a < b ? a : b; }
inline int max(int a, int b) { return a > b ? a : b; }
template <class T> T __ldg(const T *p) { return *p; }

// The state of a generator is read and written as a whole.
struct alignas(8) curandState {
  unsigned state[12];
  BC_COPIED(curandState, rt_part(state, o.state);)
};
void rt_access(const void *place, u64 size, char mode);
template <class T> RT_QUIET T rt_drawn(curandState *state) {
  rt_access(state, sizeof *state, 'r'), rt_access(state, sizeof *state, 'w');
  return T();
}
inline void curand_init(u64, u64, u64, curandState *state) { rt_access(state, sizeof *state, 'w'); }
inline unsigned curand(curandState *state) { return rt_drawn<unsigned>(state); }
inline float curand_uniform(curandState *state) { return rt_drawn<float>(state); }
inline float2 curand_normal2(curandState *state) { return rt_drawn<float2>(state); }
inline void skipahead(u64, curandState *state) { rt_drawn<int>(state); }

// Objects of the host: a texture is read only.
typedef const char *cudaSurfaceObject_t;
typedef int cudaTextureObject_t;
template <class T> T tex1Dfetch(cudaTextureObject_t, int) { return T(); }
template <class T> T tex2D(cudaTextureObject_t, float, float) { return T(); }
template <class T> T surf1Dread(cudaSurfaceObject_t u, int x) {
  rt_surface(u, x, sizeof(T), false);
  return T();
}
template <class T> void surf1Dwrite(T, cudaSurfaceObject_t u, int x) {
  rt_surface(u, x, sizeof(T), true);
}
template <class T> void surf2Dwrite(T, cudaSurfaceObject_t u, int x, int y) {
  rt_surface(u, x + 2097152l * y, sizeof(T), true);
}

// Inline assembly that makes something of one register, and that tells where the thread is.
#define BC_ASM(code, to, ...) to = __VA_ARGS__
#define BC_ASM_LD(to, ...) to = *(__VA_ARGS__)
#define BC_ASM_ST2(one, two, ...)                                                                  \
  {                                                                                                \
    unsigned *rt_place = (unsigned *)(__VA_ARGS__);                                                \
    rt_place[2] = one, rt_place[3] = two;                                                          \
  }
#define BC_ASM_RED(type, by, ...) atomicAdd(__VA_ARGS__, by)
#define BC_ASM_MOV(name, to) to = RT_##name
#define RT_tid threadIdx.x
#define RT_ctaid blockIdx.x
#define RT_ntid blockDim.x
#define BC_ASM_BARRIER() rt_sync()

namespace cooperative_groups {
inline unsigned rt_rank() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
struct thread_block {
  unsigned thread_rank() const { return rt_rank(); }
  unsigned size() const { return blockDim.x * blockDim.y * blockDim.z; }
  void sync() const { rt_sync(); }
};
inline thread_block this_thread_block() { return thread_block(); }
template <unsigned n> struct thread_block_tile {
  unsigned thread_rank() const { return rt_rank() % n; }
  unsigned meta_group_rank() const { return rt_rank() / n; }
  unsigned size() const { return n; }
  unsigned num_threads() const { return n; }
  void sync() const { rt_tile(); }
  template <class T> T shfl(T v, int) const { return v; }
  template <class T> T shfl_xor(T v, int) const { return v; }
  template <class T> T shfl_down(T v, unsigned) const { return v; }
};
template <unsigned n> thread_block_tile<n> tiled_partition(const thread_block &) {
  return thread_block_tile<n>();
}
template <class T> struct plus {};
template <unsigned n, class T> T reduce(const thread_block_tile<n> &, T v, const plus<T> &) {
  return v;
}
// Who is in it, values choose: its barrier orders nothing that is known.
struct coalesced_group {
  unsigned thread_rank() const { return 0; }
  unsigned size() const { return 1; }
  void sync() const {}
  template <class T> T shfl(T v, int) const { return v; }
};
inline coalesced_group coalesced_threads() { return coalesced_group(); }
struct grid_group {
  u64 thread_rank() const {
    return blockIdx.x * (u64)(blockDim.x * blockDim.y) + rt_rank();
  }
  void sync() const { rt_grid(); }
};
inline grid_group this_grid() { return grid_group(); }
} // namespace cooperative_groups
