// What a kernel needs to be compiled as C++: arrays whose every access is logged, and CUDA's names.
// No header is included: this text is compiled once for every batch of kernels.
typedef unsigned long u64;
typedef __INT8_TYPE__ int8_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __INT16_TYPE__ int16_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __INT32_TYPE__ int32_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __SIZE_TYPE__ size_t;

// The run-time system (runtime.cpp).
int rt_array(const char *name);
u64 rt_read(int array, u64 index);
void rt_write(int array, u64 index, u64 value);
u64 rt_atomic(int array, u64 index, int op, int bits, bool is_signed, bool block, u64 operand,
              u64 expected);
void rt_sync(int line);
long rt_param(int number);
struct Position { unsigned x, y, z; };
extern Position threadIdx, blockIdx, blockDim, gridDim;

// A value as a cell holds it.
template <class T> u64 rt_pattern(T v) {
  return sizeof(T) == 8 ? (u64)v : (u64)v & ((1ul << (8 * sizeof(T) & 63)) - 1);
}
template <> inline u64 rt_pattern(float v) {
  unsigned bits;
  __builtin_memcpy(&bits, &v, 4);
  return bits;
}
template <class T> T rt_value(u64 pattern) { return (T)pattern; }
template <> inline float rt_value(u64 pattern) {
  unsigned bits = (unsigned)pattern;
  float v;
  __builtin_memcpy(&v, &bits, 4);
  return v;
}

// A value that is not converted before it is computed.
template <class T> T rt_val(T v) { return v; }

template <class T> struct Ptr;

// A cell of an array, or a variable of the thread: what `*p` denotes.
template <class T> struct Cell {
  int array;
  u64 index;
  T *local;
  Cell(int a, u64 i) : array(a), index(i), local(0) {}
  explicit Cell(T *v) : array(-1), index(0), local(v) {}
  explicit Cell(const char *name) : array(rt_array(name)), index(0), local(0) {}
  Cell(const Cell &) = default;
  T load() const { return local ? *local : rt_value<T>(rt_read(array, index)); }
  T store(T v) const {
    if (local) *local = v;
    else rt_write(array, index, rt_pattern<T>(v));
    return v;
  }
  operator T() const { return load(); }
  T operator=(T v) const { return store(v); }
  T operator=(const Cell &other) const { return store(other.load()); }
#define RT_COMPOUND(op)                                                                            \
  template <class U> T operator op##=(const U & v) const { return store((T)rt_val(load() op v)); }
  RT_COMPOUND(+) RT_COMPOUND(-) RT_COMPOUND(*) RT_COMPOUND(/) RT_COMPOUND(%)
  RT_COMPOUND(&) RT_COMPOUND(|) RT_COMPOUND(^) RT_COMPOUND(<<) RT_COMPOUND(>>)
  T operator++() const { return store((T)(load() + 1)); }
  T operator--() const { return store((T)(load() - 1)); }
  T operator++(int) const { T old = load(); store((T)(old + 1)); return old; }
  T operator--(int) const { T old = load(); store((T)(old - 1)); return old; }
  Ptr<T> operator&() const;
};

// `T *`; only a variable can be changed.
template <class T> struct Ptr {
  int array;
  u64 index;
  T *local;
  Ptr(int a, u64 i) : array(a), index(i), local(0) {}
  Ptr(T *v) : array(-1), index(0), local(v) {}
  Ptr(const char *name) : array(rt_array(name)), index(0), local(0) {}
  Cell<T> operator*() const { return (*this)[0]; }
  Cell<T> operator[](long long i) const {
    return local ? Cell<T>(local + i) : Cell<T>(array, index + (u64)i);
  }
  Ptr operator+(long long i) const { return local ? Ptr(local + i) : Ptr(array, index + (u64)i); }
  Ptr operator-(long long i) const { return *this + (long long)-(u64)i; }
  Ptr operator+=(long long i) & { return *this = *this + i; }
  Ptr operator-=(long long i) & { return *this = *this - i; }
  Ptr operator++() & { return *this += 1; }
  Ptr operator--() & { return *this -= 1; }
  Ptr operator++(int) & { Ptr old = *this; *this += 1; return old; }
  Ptr operator--(int) & { Ptr old = *this; *this -= 1; return old; }
  long operator-(const Ptr &q) const { return (long)(index - q.index); }
#define RT_COMPARE(op)                                                                             \
  bool operator op(const Ptr & q) const { return (long)index op (long)q.index; }
  RT_COMPARE(<) RT_COMPARE(<=) RT_COMPARE(>) RT_COMPARE(>=) RT_COMPARE(==) RT_COMPARE(!=)
};
template <class T> Ptr<T> Cell<T>::operator&() const {
  return local ? Ptr<T>(local) : Ptr<T>(array, index);
}

// An array that threads share, of one dimension.
template <class T> struct Arr {
  int array;
  Arr(const char *name) : array(rt_array(name)) {}
  operator Ptr<T>() const { return Ptr<T>(array, 0); }
  Cell<T> operator*() const { return Cell<T>(array, 0); }
  Cell<T> operator[](long long i) const { return Cell<T>(array, (u64)i); }
  Ptr<T> operator+(long long i) const { return Ptr<T>(array, (u64)i); }
};
// Of two dimensions: the rows follow each other.
template <class T, int columns> struct Arr2 {
  int array;
  Arr2(const char *name) : array(rt_array(name)) {}
  Ptr<T> operator[](long long i) const { return Ptr<T>(array, (u64)i * columns); }
};

#ifdef RT_OVERFLOW
// The compiler may compute nothing beforehand, nothing is unused, no `x - x` is 0, no `-x + 1u`
// is `1u - x`, and no `(char)(x * y)` a product of `char`: nothing there would overflow.
#define BC_LIT(v) rt_lit(v)
template <class T> auto rt_neg(const T &v) { return -v; }
#define BC_LOAD(...) +(__VA_ARGS__)
#define BC_VAL(...) rt_val(__VA_ARGS__)
#define BC_CHANGE(x, op, ...) x = rt_val(x op (__VA_ARGS__))
#define BC_NEG(...) rt_neg(__VA_ARGS__)
template <class T> void rt_use(const T &) {}
#define BC_USE(...) rt_use(__VA_ARGS__)
#define BC_VAR(T) volatile T
#define RT_LITERAL(T) T rt_lit(T v);
RT_LITERAL(bool) RT_LITERAL(char) RT_LITERAL(int) RT_LITERAL(unsigned) RT_LITERAL(long)
RT_LITERAL(unsigned long) RT_LITERAL(long long) RT_LITERAL(unsigned long long)
#else
#define BC_LIT(v) v
#define BC_NEG(...) -__VA_ARGS__
#define BC_LOAD(...) __VA_ARGS__
#define BC_VAL(...) __VA_ARGS__
#define BC_CHANGE(x, op, ...) x op##= __VA_ARGS__
#define BC_USE(...) __VA_ARGS__
#define BC_VAR(T) T
#endif
#define BC_PTR(T) Ptr<T>
#define BC_CPTR(T) Ptr<T>
// A variable of the thread, or a cell.
#define BC_REF(T) auto &&
#define BC_SHARED(T, name, n) Arr<T> name(#name)
#define BC_SHARED2(T, name, n, m) Arr2<T, m> name(#name)
#define BC_SHARED0(T, name) Cell<T> name(#name)
#define BC_EXTERN(T, name) Arr<T> name(#name)
// Arrays of the file: looked up where they are used, for they differ from kernel to kernel.
#define BC_TABLE(kind, T, name, n, ...)                                                            \
  struct Table_##name {                                                                            \
    operator Ptr<T>() const { return Ptr<T>(#name); }                                              \
    Cell<T> operator*() const { return *Ptr<T>(#name); }                                           \
    Cell<T> operator[](long long i) const { return Ptr<T>(#name)[i]; }                             \
    Ptr<T> operator+(long long i) const { return Ptr<T>(#name) + i; }                              \
  };                                                                                               \
  static Table_##name name
#define BC_DEVICE(T, name, n) BC_TABLE(, T, name, n)
#define __global__ static
#define __device__ static
#define __forceinline__
#define __restrict__
#define __launch_bounds__(n)
#define RT_LINE __LINE__
#define __syncthreads() rt_sync(RT_LINE)

template <class T> struct Same { typedef T type; };
#define RT_ATOMIC(name, op)                                                                        \
  template <class T> T name(Ptr<T> p, typename Same<T>::type v) {                                  \
    return (T)rt_atomic(p.array, p.index, op, 8 * sizeof(T), (T)-1 < (T)0, false,                  \
                        rt_pattern<T>(v), 0);                                                      \
  }                                                                                                \
  template <class T> T name##_block(Ptr<T> p, typename Same<T>::type v) {                          \
    return (T)rt_atomic(p.array, p.index, op, 8 * sizeof(T), (T)-1 < (T)0, true,                   \
                        rt_pattern<T>(v), 0);                                                      \
  }                                                                                                \
  template <class T> T name(Arr<T> p, typename Same<T>::type v) { return name(Ptr<T>(p), v); }
RT_ATOMIC(atomicAdd, '+')
RT_ATOMIC(atomicSub, '-')
RT_ATOMIC(atomicMin, '<')
RT_ATOMIC(atomicMax, '>')
RT_ATOMIC(atomicAnd, '&')
RT_ATOMIC(atomicOr, '|')
RT_ATOMIC(atomicXor, '^')
RT_ATOMIC(atomicExch, '=')
RT_ATOMIC(atomicInc, 'i')
RT_ATOMIC(atomicDec, 'd')
template <class T>
T atomicCAS(Ptr<T> p, typename Same<T>::type expected, typename Same<T>::type v) {
  return (T)rt_atomic(p.array, p.index, '?', 8 * sizeof(T), (T)-1 < (T)0, false, rt_pattern<T>(v),
                      rt_pattern<T>(expected));
}
inline int printf(const char *, ...) { return 0; }
inline int min(int a, int b) { return a < b ? a : b; }
inline int max(int a, int b) { return a > b ? a : b; }
inline unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
inline unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
inline long long min(long long a, long long b) { return a < b ? a : b; }
inline long long max(long long a, long long b) { return a > b ? a : b; }
inline int abs(int a) { return a < 0 ? -a : a; }
template <class T> T __ldg(Ptr<T> p) { return *p; }
inline int __popc(unsigned v) { return __builtin_popcount(v); }
