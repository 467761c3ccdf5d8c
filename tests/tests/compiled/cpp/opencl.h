// What a kernel of OpenCL C needs to be compiled as C++. The compiler puts a call before each access of memory
// (wide.cpp has what it calls). Vectors are copied component by component.
#include "wide.h"
#undef __constant__
#define __kernel static
#define kernel static
#define __global
#define global
#define __local
#define local
#define __private
#define private
#define constant const
#define __constant static const
#define restrict
#define __read_only
#define read_only
#define __write_only
#define write_only
#define __read_write
#define read_write

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned uint;
typedef unsigned long ulong;
struct half { short bits; };

// Places in the launch.
inline unsigned rt_of(const Position &p, int d) { return d == 0 ? p.x : d == 1 ? p.y : p.z; }
inline size_t get_local_id(int d) { return rt_of(threadIdx, d); }
inline size_t get_group_id(int d) { return rt_of(blockIdx, d); }
inline size_t get_local_size(int d) { return rt_of(blockDim, d); }
inline size_t get_num_groups(int d) { return rt_of(gridDim, d); }
inline size_t get_global_id(int d) { return get_group_id(d) * get_local_size(d) + get_local_id(d); }
inline size_t get_global_size(int d) { return get_num_groups(d) * get_local_size(d); }
inline size_t get_local_linear_id() { return threadIdx.x + blockDim.x * threadIdx.y; }
inline size_t get_global_linear_id() { return get_global_id(1) * get_global_size(0) + get_global_id(0); }

// A group is one sub-group.
inline unsigned get_sub_group_local_id() { return get_local_linear_id(); }
inline unsigned get_sub_group_id() { return 0; }
inline unsigned get_num_sub_groups() { return 1; }
inline unsigned get_sub_group_size() { return blockDim.x * blockDim.y; }
inline unsigned get_max_sub_group_size() { return 32; }
template <class T> T sub_group_reduce_add(T v) { return v; }
template <class T> T sub_group_broadcast(T v, unsigned) { return v; }
inline int sub_group_any(int v) { return v; }

// Barriers, and which memory they order.
void rt_fence(int flags, int of_sub_group);
const int CLK_LOCAL_MEM_FENCE = 1, CLK_GLOBAL_MEM_FENCE = 2, CLK_IMAGE_MEM_FENCE = 4;
enum { memory_order_relaxed, memory_order_acquire, memory_order_release, memory_order_acq_rel, memory_order_seq_cst };
enum { memory_scope_work_item, memory_scope_work_group, memory_scope_device, memory_scope_all_svm_devices, memory_scope_sub_group };
inline void barrier(int flags) { rt_fence(flags, 0); }
inline void work_group_barrier(int flags, int = 0) { rt_fence(flags, 0); }
inline void sub_group_barrier(int flags, int = 0) { rt_fence(flags, 1); }
inline void mem_fence(int) {}
inline void read_mem_fence(int) {}
inline void write_mem_fence(int) {}
inline void atomic_work_item_fence(int, int, int) {}

// Vectors.
void rt_perhaps_read(const void *place, u64 size);
template <class T, int N> struct rt_parts;
template <class T> struct rt_parts<T, 2> {
  union { T s[2]; struct { T x, y; }; struct { T s0, s1; }; };
};
template <class T> struct rt_parts<T, 3> {
  union { T s[3]; struct { T x, y, z; }; struct { T s0, s1, s2; }; };
};
template <class T> struct rt_parts<T, 4> {
  union { T s[4]; struct { T x, y, z, w; }; struct { T s0, s1, s2, s3; }; };
};
template <class T> struct rt_parts<T, 8> {
  union { T s[8]; struct { T x, y, z, w; }; struct { T s0, s1, s2, s3, s4, s5, s6, s7; }; };
};
template <class T> struct rt_parts<T, 16> {
  union {
    T s[16];
    struct { T x, y, z, w; };
    struct { T s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, sa, sb, sc, sd, se, sf; };
  };
};
template <class T, int N> struct alignas(sizeof(T) * (N == 3 ? 4 : N)) rt_vec : rt_parts<T, N> {
  rt_vec() = default;
  // A copy of three components may copy a fourth one.
  void rt_whole(const rt_vec &o) { if (N == 3) rt_copied(this, &o, sizeof o); }
  rt_vec(const rt_vec &o) {
    rt_whole(o);
    for (int k = 0; k < N; k++) this->s[k] = o.s[k];
  }
  rt_vec &operator=(const rt_vec &o) {
    rt_whole(o);
    for (int k = 0; k < N; k++) this->s[k] = o.s[k];
    return *this;
  }
};
template <class T> struct rt_lane { typedef T type; static const int count = 1; };
template <class T, int N> struct rt_lane<rt_vec<T, N>> { typedef T type; static const int count = N; };
template <class T> struct rt_plain { typedef T type; };
template <class T> struct rt_plain<T &> { typedef T type; };
template <class T> struct rt_plain<const T> { typedef T type; };
template <class T> struct rt_plain<const T &> { typedef T type; };
template <class V> constexpr int rt_size() { return rt_lane<typename rt_plain<V>::type>::count; }

#define RT_VECTORS(T) typedef rt_vec<T, 2> T##2; typedef rt_vec<T, 3> T##3; typedef rt_vec<T, 4> T##4;           \
  typedef rt_vec<T, 8> T##8; typedef rt_vec<T, 16> T##16;
#define RT_TYPES(F) F(char) F(uchar) F(short) F(ushort) F(int) F(uint) F(long) F(ulong) F(float) F(double)
namespace rt_cl { RT_TYPES(RT_VECTORS) }

// A literal: of a vector's components, of vectors, or of one number for all.
template <class T, int N, class P> void rt_put(rt_vec<T, N> &to, int &n, const P &part) { to.s[n++] = (T)part; }
template <class T, int N, class P, int M> void rt_put(rt_vec<T, N> &to, int &n, const rt_vec<P, M> &part) {
  rt_vec<P, M> all = part;
  for (int k = 0; k < M; k++) to.s[n++] = (T)all.s[k];
}
template <class V, class... P> V rt_vector(const P &...parts) {
  V to;
  int n = 0;
  (rt_put(to, n, parts), ...);
  for (; n < rt_lane<V>::count; n++) to.s[n] = to.s[0];
  return to;
}
#define BC_VEC(V, ...) rt_vector<V>(__VA_ARGS__)

// Several components, by the name behind the dot: read, and stored.
constexpr int rt_lanes(const char *name, int n) {
  int length = 0;
  while (name[length]) length++;
  if (name[0] == 's') return length - 1;
  return name[0] == 'l' || name[0] == 'h' || name[0] == 'e' || name[0] == 'o' ? n / 2 : length;
}
constexpr int rt_place(const char *name, int k, int n) {
  char c = name[0] == 's' ? name[k + 1] : name[k];
  switch (name[0]) {
  case 'l': return k;
  case 'h': return n / 2 + k;
  case 'e': return 2 * k;
  case 'o': return 2 * k + 1;
  case 's': return c <= '9' ? c - '0' : c - 'a' + 10;
  }
  return c == 'w' ? 3 : c - 'x';
}
template <int M, class T, int N> rt_vec<T, M> rt_read(const rt_vec<T, N> &of, const char *name) {
  rt_vec<T, M> out;
  // All of it may be read.
  rt_perhaps_read(&of, sizeof of);
  for (int k = 0; k < M; k++) out.s[k] = of.s[rt_place(name, k, N)];
  return out;
}
template <class T, int M> struct rt_target {
  T *at[M];
  void operator=(const rt_vec<T, M> &v) { for (int k = 0; k < M; k++) *at[k] = v.s[k]; }
  void operator=(T v) { for (int k = 0; k < M; k++) *at[k] = v; }
  void operator+=(const rt_vec<T, M> &v) { for (int k = 0; k < M; k++) *at[k] += v.s[k]; }
  void operator*=(const rt_vec<T, M> &v) { for (int k = 0; k < M; k++) *at[k] *= v.s[k]; }
};
template <int M, class T, int N> rt_target<T, M> rt_write(rt_vec<T, N> &of, const char *name) {
  rt_target<T, M> out;
  for (int k = 0; k < M; k++) out.at[k] = &of.s[rt_place(name, k, N)];
  return out;
}
#define BC_OF(place, name) rt_read<rt_lanes(#name, rt_size<decltype(place)>())>(place, #name)
#define BC_TO(place, name) rt_write<rt_lanes(#name, rt_size<decltype(place)>())>(place, #name)

template <int bytes> struct rt_signed;
template <> struct rt_signed<1> { typedef char type; };
template <> struct rt_signed<2> { typedef short type; };
template <> struct rt_signed<4> { typedef int type; };
template <> struct rt_signed<8> { typedef long type; };
#define RT_OPERATOR(op)                                                                            \
  template <class T, int N> rt_vec<T, N> operator op(const rt_vec<T, N> &a, const rt_vec<T, N> &b) { \
    rt_vec<T, N> x = a, y = b, out;                                                                \
    for (int k = 0; k < N; k++) out.s[k] = x.s[k] op y.s[k];                                       \
    return out;                                                                                    \
  }                                                                                                \
  template <class T, int N>                                                                        \
  rt_vec<T, N> operator op(const rt_vec<T, N> &a, typename Same<T>::type b) {                      \
    rt_vec<T, N> x = a, out;                                                                       \
    for (int k = 0; k < N; k++) out.s[k] = x.s[k] op b;                                            \
    return out;                                                                                    \
  }                                                                                                \
  template <class T, int N, class P> rt_vec<T, N> &operator op##=(rt_vec<T, N> &a, const P &b) {   \
    rt_vec<T, N> v = rt_vector<rt_vec<T, N>>(b);                                                   \
    return a = a op v;                                                                             \
  }
RT_OPERATOR(+) RT_OPERATOR(-) RT_OPERATOR(*)
#define RT_COMPARISON(op)                                                                          \
  template <class T, int N>                                                                        \
  auto operator op(const rt_vec<T, N> &a, const rt_vec<T, N> &b) {                                 \
    rt_vec<T, N> x = a, y = b;                                                                     \
    rt_vec<typename rt_signed<sizeof(T)>::type, N> out;                                            \
    for (int k = 0; k < N; k++) out.s[k] = -(x.s[k] op y.s[k]);                                    \
    return out;                                                                                    \
  }
RT_COMPARISON(<) RT_COMPARISON(>) RT_COMPARISON(==) RT_COMPARISON(!=) RT_COMPARISON(<=)

// Functions of values.
#define RT_CONVERT1(T)                                                                             \
  template <class P> T convert_##T(const P &v) { return (T)v; }                                    \
  template <class P> T convert_##T##_sat(const P &v) { return (T)v; }                              \
  template <class P> T as_##T(const P &v) { T out; __builtin_memcpy(&out, &v, sizeof out); return out; }
#define RT_CONVERTN(T, N)                                                                          \
  template <class P> rt_vec<T, N> convert_##T##N(const rt_vec<P, N> &v) { return rt_vector<rt_vec<T, N>>(v); } \
  template <class P> rt_vec<T, N> as_##T##N(const rt_vec<P, N> &v) {                               \
    rt_vec<P, N> copy = v;                                                                         \
    rt_vec<T, N> out;                                                                              \
    __builtin_memcpy(&out, &copy, sizeof out);                                                     \
    return out;                                                                                    \
  }
#define RT_CONVERT(T) RT_CONVERT1(T) RT_CONVERTN(T, 2) RT_CONVERTN(T, 3) RT_CONVERTN(T, 4)         \
  RT_CONVERTN(T, 8) RT_CONVERTN(T, 16)
namespace rt_cl { RT_TYPES(RT_CONVERT) }
template <class T> T mad(T a, T b, T c) { return a * b + c; }
inline uint min(uint a, uint b) { return a < b ? a : b; }
inline size_t min(size_t a, size_t b) { return a < b ? a : b; }
inline int clamp(int v, int a, int b) { return min(max(v, a), b); }
inline int mul24(int a, int b) { return a * b; }
inline int mad24(int a, int b, int c) { return a * b + c; }
inline int select(int a, int b, int c) { return c ? b : a; }
template <class T, class C, int N>
rt_vec<T, N> select(const rt_vec<T, N> &a, const rt_vec<T, N> &b, const rt_vec<C, N> &c) {
  rt_vec<T, N> one = a, other = b, out;
  rt_vec<C, N> chosen = c;
  for (int k = 0; k < N; k++) out.s[k] = chosen.s[k] < 0 ? other.s[k] : one.s[k];
  return out;
}
template <class T, int N> rt_vec<T, N> mad(const rt_vec<T, N> &a, const rt_vec<T, N> &b, const rt_vec<T, N> &c) {
  return a * b + c;
}
template <int N> float dot(const rt_vec<float, N> &a, const rt_vec<float, N> &b) {
  rt_vec<float, N> all = a * b;
  return all.s[0];
}
template <class T, int N> int any(const rt_vec<T, N> &v) {
  rt_vec<T, N> all = v;
  return all.s[0] < 0;
}
template <class T, int N> int all(const rt_vec<T, N> &v) { return any(v); }

// Vectors in memory that need no alignment.
template <int N, class T> rt_vec<T, N> rt_load(size_t offset, const T *p) {
  rt_vec<T, N> out;
  for (int k = 0; k < N; k++) out.s[k] = p[offset * N + k];
  return out;
}
template <int N, class T> void rt_store(const rt_vec<T, N> &value, size_t offset, T *p) {
  rt_vec<T, N> v = value;
  for (int k = 0; k < N; k++) p[offset * N + k] = v.s[k];
}
inline float vload_half(size_t offset, const half *p) { return p[offset].bits; }
inline void vstore_half(float v, size_t offset, half *p) { p[offset].bits = (short)v; }
inline void vstore_half_rte(float v, size_t offset, half *p) { p[offset].bits = (short)v; }
#define RT_MEMORY(N, stride)                                                                       \
  template <class T> rt_vec<T, N> vload##N(size_t offset, const T *p) { return rt_load<N, T>(offset, p); } \
  template <class T> void vstore##N(const rt_vec<T, N> &v, size_t offset, T *p) { rt_store<N, T>(v, offset, p); } \
  inline rt_vec<float, N> rt_halves##N(size_t first, const half *p) {                              \
    rt_vec<float, N> out;                                                                          \
    for (int k = 0; k < N; k++) out.s[k] = p[first + k].bits;                                      \
    return out;                                                                                    \
  }                                                                                                \
  inline void rt_halve##N(const rt_vec<float, N> &value, size_t first, half *p) {                  \
    rt_vec<float, N> v = value;                                                                    \
    for (int k = 0; k < N; k++) p[first + k].bits = 0;                                             \
  }                                                                                                \
  inline rt_vec<float, N> vload_half##N(size_t o, const half *p) { return rt_halves##N(o * N, p); } \
  inline rt_vec<float, N> vloada_half##N(size_t o, const half *p) { return rt_halves##N(o * stride, p); } \
  inline void vstore_half##N(const rt_vec<float, N> &v, size_t o, half *p) { rt_halve##N(v, o * N, p); } \
  inline void vstorea_half##N(const rt_vec<float, N> &v, size_t o, half *p) { rt_halve##N(v, o * stride, p); }
RT_MEMORY(2, 2) RT_MEMORY(3, 4) RT_MEMORY(4, 4) RT_MEMORY(8, 8) RT_MEMORY(16, 16)

// Atomic functions of both generations.
typedef int atomic_int;
typedef uint atomic_uint;
void rt_atomic_block(void *place, u64 size);
template <class T> RT_QUIET T rt_update(T *p, int scope) {
  scope == memory_scope_work_group ? rt_atomic_block(p, sizeof(T)) : rt_atomic(p, sizeof(T));
  return 1;
}
const int rt_device = memory_scope_device;
#define RT_OLD(name)                                                                               \
  template <class T> T atomic_##name(volatile T *p, typename Same<T>::type) { return rt_update((T *)p, rt_device); } \
  template <class T> T atom_##name(volatile T *p, typename Same<T>::type) { return rt_update((T *)p, rt_device); }
RT_OLD(add) RT_OLD(sub) RT_OLD(xchg) RT_OLD(min) RT_OLD(max) RT_OLD(and) RT_OLD(or) RT_OLD(xor)
template <class T> T atomic_inc(volatile T *p) { return rt_update((T *)p, rt_device); }
template <class T> T atomic_dec(volatile T *p) { return rt_update((T *)p, rt_device); }
template <class T> T atomic_cmpxchg(volatile T *p, typename Same<T>::type, typename Same<T>::type) {
  return rt_update((T *)p, rt_device);
}
#define RT_NEW(name)                                                                               \
  template <class T> T atomic_##name(volatile T *p, typename Same<T>::type) { return rt_update((T *)p, rt_device); } \
  template <class T> T atomic_##name##_explicit(volatile T *p, typename Same<T>::type, int, int scope = rt_device) { \
    return rt_update((T *)p, scope);                                                               \
  }
RT_NEW(fetch_add) RT_NEW(fetch_sub) RT_NEW(fetch_min) RT_NEW(fetch_max) RT_NEW(fetch_or) RT_NEW(exchange) RT_NEW(store)
template <class T> T atomic_load(volatile T *p) { return rt_update((T *)p, rt_device); }
template <class T> T atomic_load_explicit(volatile T *p, int, int scope = rt_device) { return rt_update((T *)p, scope); }

template <class T> bool atomic_compare_exchange_strong(volatile T *p, T *seen, typename Same<T>::type v) {
  rt_update((T *)p, rt_device);
  return *seen != v;
}
template <class T> bool atomic_compare_exchange_strong_explicit(
    volatile T *p, T *seen, typename Same<T>::type v, int, int, int scope = rt_device) {
  rt_update((T *)p, scope);
  return *seen != v;
}

// Copies of a work-group: a work-item makes them that a parameter says.
typedef ulong event_t;
template <class T> void rt_copies(T *to, const T *from, size_t count, size_t over, size_t along) {
  if (get_local_linear_id() == (size_t)rt_param(3))
    for (size_t k = 0; k < count; k++) to[k * over] = from[k * along];
}
template <class T> event_t async_work_group_copy(T *to, const T *from, size_t count, event_t) {
  rt_copies(to, from, count, 1, 1);
  return 1;
}
#define BC_GATHER(to, from, count, stride, event) (rt_copies(to, from, count, 1, stride), (event_t)1)
#define BC_SCATTER(to, from, count, stride, event) (rt_copies(to, from, count, stride, 1), (event_t)1)
inline void wait_group_events(int, event_t *) { rt_fence(3, 0); }
inline int work_group_any(int v) { rt_fence(3, 0); return v; }
template <class T> void prefetch(const T *, size_t) {}

// Images: a pixel is a byte, in rows of a power of 2.
void rt_pixel(const char *image, long place, char mode);
struct image1d_t { const char *name; };
struct image2d_t { const char *name; };
struct sampler_t {};
inline long rt_at(image1d_t, long x) { return x; }
inline long rt_at(image2d_t, const rt_vec<int, 2> &at) { return at.s[0] + ((long)at.s[1] << 20); }
#define RT_IMAGE(T, letter)                                                                        \
  template <class I, class P> rt_vec<T, 4> read_image##letter(I image, const P &at) {              \
    rt_pixel(image.name, rt_at(image, at), 'r');                                                   \
    return rt_vector<rt_vec<T, 4>>(1);                                                             \
  }                                                                                                \
  template <class I, class P> rt_vec<T, 4> read_image##letter(I image, sampler_t, const P &at) {   \
    rt_at(image, at);                                                                              \
    return rt_vector<rt_vec<T, 4>>(1);                                                             \
  }                                                                                                \
  template <class I, class P> void write_image##letter(I image, const P &at, const rt_vec<T, 4> &color) { \
    rt_vec<T, 4> held = color;                                                                     \
    rt_pixel(image.name, rt_at(image, at), 'w');                                                   \
  }
RT_IMAGE(float, f) RT_IMAGE(int, i) RT_IMAGE(uint, ui)
template <class I> int get_image_width(I) { return 7; }
