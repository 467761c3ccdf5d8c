// Each of these kernels has a race in a block of 64 threads.
__device__ int G[64];
struct D { int v; __device__ D(int x) : v(x) {} __device__ ~D() { G[0] = v; } };
__global__ void dtor_local(int *a) { D d(threadIdx.x); a[threadIdx.x] = d.v; }
struct D2 { int v; __device__ ~D2() { G[0] = v; } };
__global__ void dtor_agg(int *a) { D2 d{1}; a[threadIdx.x] = d.v; }
struct D3 { D2 m; };
__global__ void dtor_member(int *a) { D3 d{{1}}; a[threadIdx.x] = d.m.v; }
__device__ int tmp(D2 d) { return d.v; }
__global__ void dtor_param(int *a) { D2 d{1}; a[threadIdx.x] = tmp(d); }
struct A { int v; __device__ A &operator=(const A &o) { G[0] = o.v; return *this; } };
struct B { A a; int w; };
__global__ void implicit_assign(int *a) { B x, y; y.w = 1; x = y; a[threadIdx.x] = x.w; }
union U { int i; unsigned u; float f; };
__global__ void union_shared(int *a) { __shared__ U s[64]; s[threadIdx.x].i = 1; if (threadIdx.x < 63) a[threadIdx.x] = s[threadIdx.x+1].u; }
__global__ void union_local(int *a) { U v; v.i = 0; v.u = 0; v.i = 5; v.u = v.u; a[v.i] = threadIdx.x; }
__global__ void union_local2(int *a) { U v; v.u = threadIdx.x; v.i = 3; a[v.u] = threadIdx.x; }
struct S { int x, y; };
__global__ void struct_copy(S *a) { S t; t.x = 1; t.y = 2; a[threadIdx.x] = t; if (threadIdx.x < 63) t.x = a[threadIdx.x + 1].y; a[threadIdx.x].x = t.x; }
__global__ void struct_cast(int *a) { S *p = (S *)a; p[threadIdx.x].y = 1; a[threadIdx.x] = 2; }
__device__ int *shared_in(int &r, int k) { __shared__ int s[64]; if (k) s[threadIdx.x] = r; else s[63 - threadIdx.x] = r; return s; }
__device__ void two(const int &r, int k) { __shared__ int s[64]; if (k) s[threadIdx.x] = r; else s[63 - threadIdx.x] = r; }
__global__ void shared_twice(int *a) { int l = threadIdx.x; two(l, 1); two(5, 0); }
__global__ void swap_lambda(int *a) { auto f = [=](int i) { a[i / 2] = i; }; f(threadIdx.x); }
__global__ void ref_alias(int *a) { int &r = a[threadIdx.x]; int *p = &r; p[0] = 1; if (threadIdx.x < 63) p[1] = 2; }
__device__ int mx(int a, int b) { return 0; }
template <class T> __device__ T mymin(T a, T b) { return a; }
template <> __device__ int mymin<int>(int a, int b) { return 0; }
__global__ void special(int *a) { a[mymin<int>(threadIdx.x, 7)] = threadIdx.x; }

__device__ int own(int a, int b) { return 0; }
__global__ void own_max(int *a) { a[own((int)threadIdx.x, 0)] = threadIdx.x; }
enum E8 : unsigned char { P = 255, Q };
enum class C8 : signed char { M = -1, N = 0 };
__global__ void enums(int *a) { unsigned char c = threadIdx.x * 256; C8 m = (C8)(threadIdx.x * 256); a[(int)m + c] = threadIdx.x; }
struct Base { int *p; int k; __device__ void put(int i) { p[i / 2] = k; } };
struct Derived : Base { int z; };
__global__ void derived(int *a) { Derived d; d.p = a; d.k = threadIdx.x; d.put(threadIdx.x); }
struct Conv { int v; __device__ operator int() { G[1] = v; return v; } };
__global__ void conv(int *a) { Conv c{(int)threadIdx.x}; int x = c; a[threadIdx.x] = x; }
__global__ void sw(int *a) { switch (threadIdx.x) { case 0: a[1] = 0; default: a[threadIdx.x] = 1; } }
struct Arr { int v[4]; };
__global__ void arr(Arr *s) { s[threadIdx.x].v[0] = 1; s[0].v[threadIdx.x] = 2; }
__global__ void arr2(Arr *s) { s[threadIdx.x].v[4] = 1; s[threadIdx.x].v[0] = 2; }
__global__ void vec(float4 *s) { s[threadIdx.x].x = 1; float4 t = s[threadIdx.x ^ 1]; s[threadIdx.x].y = t.x; }
__global__ void cast4(float *s) { float4 *v = (float4 *)s; v[threadIdx.x].x = 1; s[threadIdx.x] = 2; }
__global__ void ptr2d(int (*a)[4]) { a[threadIdx.x][5] = 1; a[threadIdx.x][1] = 2; }
__constant__ int tab[2] = {0, 0};
__global__ void cons(int *a) { a[tab[threadIdx.x & 1]] = threadIdx.x; }
template <int N> struct Rec { static __device__ void go(int *a) { a[threadIdx.x / N] = 1; Rec<N - 1>::go(a); } };
template <> struct Rec<1> { static __device__ void go(int *a) { a[threadIdx.x] = 1; } };
__global__ void rec(int *a) { Rec<3>::go(a); }
template <class F> __device__ void apply(F f, int i) { f(i); }
__global__ void hof(int *a) { int k = 2; apply([&](int i) { k = 4; a[i / k] = i; }, threadIdx.x); }
struct Acc { int *p; __device__ int &operator[](int i) { return p[i / 2]; } };
__global__ void acc(int *a) { Acc x{a}; x[threadIdx.x] = 1; }
__global__ void compound(int *a) { int i = threadIdx.x; (i += 1) /= 2; a[i] = 1; }
__global__ void incr(int *a) { int i = threadIdx.x; int j = i++ / 2; a[j + (i - i)] = 1; }
__global__ void cond_lv(int *a, int *b) { (threadIdx.x & 1 ? a : b)[threadIdx.x / 4] = 1; }
__global__ void constexpr_if(int *a) { if constexpr (sizeof(S) == 8) a[0] = threadIdx.x; else a[threadIdx.x] = 1; }
__device__ void byval(S s, int *a) { s.x = 0; a[s.y] = 1; }
__global__ void byv(int *a) { S s{(int)threadIdx.x, 3}; byval(s, a); }

// Layouts that are said.
struct __align__(16) aligned { float x, y, z; };
__global__ void beside_aligned(aligned *s) {
  if (threadIdx.x == 0) s[1].x = 1;
  if (threadIdx.x == 1) ((float *)s)[4] = 2;
}

// A lane reads what another lane of its warp may hold: nothing orders the two.
__global__ void matrix_tile_racy(float *c) {
    __shared__ float tile[8][256];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> sum;
    nvcuda::wmma::fill_fragment(sum, 0.0f);
    if (warp >= 8)
        return;
    nvcuda::wmma::store_matrix_sync(tile[warp], sum, 16, nvcuda::wmma::mem_row_major);
    for (int i = 0; i < 8; i++) c[(blockIdx.x * 8 + warp) * 256 + i * 32 + lane] = tile[warp][i * 32 + lane];
}

// The tiles of two warps have a cell in common.
__global__ void matrix_in_place_racy(float *c) {
    int warp = threadIdx.x / 32;
    nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> sum;
    nvcuda::wmma::fill_fragment(sum, 1.0f);
    float *tile = c + warp * 255;
    nvcuda::wmma::store_matrix_sync(tile, sum, 16, nvcuda::wmma::mem_row_major);
}

#include <cuda/barrier>
#include <cuda/pipeline>
// The next copy may come before others have read the tile.
__global__ void copy_async_racy(const float *a, float *b) {
    __shared__ float tile[1024];
    auto pipe = cuda::make_pipeline();
    for (int k = 0; k < 4; k++) {
        pipe.producer_acquire();
        cuda::memcpy_async(&tile[threadIdx.x], &a[k * 1024 + threadIdx.x], sizeof(float), pipe);
        pipe.producer_commit();
        cuda::pipeline_consumer_wait_prior<0>(pipe);
        __syncthreads();
        b[k * 1024 + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
        pipe.consumer_release();
    }
}

// The next copy may come before others have read the tile.
__global__ void copy_by_primitives_racy(const float *a, float *b) {
    __shared__ float tile[1024];
    for (int k = 0; k < 4; k++) {
        __pipeline_memcpy_async(&tile[threadIdx.x], &a[k * 1024 + threadIdx.x], sizeof(float));
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        b[k * 1024 + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
    }
}

// Those that copy wait behind the barrier.
__global__ void some_threads_copy_racy(const float *a, float *b, int n) {
    __shared__ float tile[64];
    int i = threadIdx.x;
    float sum = 0;
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    for (int k = 0; k < n; k++) {
        if (i < 16) {
            pipe.producer_acquire();
            cuda::memcpy_async(&tile[i * 4], &a[k * 64 + i * 4], 16, pipe);
            pipe.producer_commit();
        }
        __syncthreads();
        sum += tile[63 - i];
        if (i < 16) {
            pipe.consumer_wait();
            pipe.consumer_release();
        }
        __syncthreads();
    }
    b[i] = sum;
}
// Two buffers, and nothing between a read and the copy after the next.
__global__ void stage_ahead_racy(const float *a, float *b, int n) {
    __shared__ float tile[2][64];
    int i = threadIdx.x;
    float sum = 0;
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&tile[0][i], &a[i], sizeof(float), pipe);
    pipe.producer_commit();
    for (int k = 0; k < n; k++) {
        if (k < n - 1) {
            pipe.producer_acquire();
            cuda::memcpy_async(&tile[(k + 1) % 2][i], &a[(k + 1) * 64 + i], sizeof(float), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        __syncthreads();
        sum += tile[k % 2][63 - i];
        pipe.consumer_release();
    }
    b[i] = sum;
}
// Enumerators as arguments of templates.
enum order { straight, turned_around };
template <order O> struct layout { int i; __device__ int at() const { return O == straight ? i : i / 2; } };
__global__ void enumerated(int *a) { layout<turned_around> l{(int)threadIdx.x}; a[l.at()] = threadIdx.x; }
// What an enumerator is, is said by its own enumeration.
enum mode { fast = 1, safe = 2, full = 8 };
enum class level { safe = 8, full = 2 };
template <mode M> struct row { float v[(int)M]; };
__global__ void use(row<full> *a, row<(mode)1> *b) { a[threadIdx.x].v[7] = 1; b[threadIdx.x / 2].v[0] = threadIdx.x; }
__global__ void lap(row<safe> *a) { float *p = (float *)(a + threadIdx.x); p[0] = threadIdx.x; p[2] = 3; }
// Nobody may wait.
__global__ void wait_in_choice(const float *a, float *b, int n) {
    __shared__ float s[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &a[t], 4);
    __pipeline_commit();
    n > 3 ? __pipeline_wait_prior(0) : (void)0;
    __syncthreads();
    b[t] = s[63 - t];
}
__global__ void wait_in_condition(const float *a, float *b, int n) {
    __shared__ float s[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &a[t], 4);
    __pipeline_commit();
    while (n > 0 && (__pipeline_wait_prior(0), n > 5)) n--;
    __syncthreads();
    b[t] = s[63 - t];
}
// Threads may come to a barrier object while it is made.
__global__ void block_barrier_racy(const float *a, float *b) {
    __shared__ float tile[1024];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    tile[threadIdx.x] = a[threadIdx.x];
    bar.arrive_and_wait();
    b[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
// What methods, functors and closures keep.
template <class T> struct span { T *p; int n; __device__ T &operator[](int i) { return p[i]; } };
__global__ void span_pairs(span<float> s) { s[threadIdx.x / 2] = threadIdx.x; }
struct based { float *p; __device__ void put(int i, float x) { p[i / 2] = x; } };
struct bounded : based { int n; };
__global__ void of_base(bounded d) { d.put(threadIdx.x, threadIdx.x); }
__global__ void closure(float *a) { int own = threadIdx.x; auto put = [&](float x) { a[own] = x; }; own = 0; put(threadIdx.x); }
__global__ void copied(float *a) { int own = 0; auto put = [=](float x) { a[own] = x; }; own = threadIdx.x; put(own); }
struct both { float *from, *to; __device__ void turn() { float *other = from; from = to; to = other; } };
__global__ void turns(float *x, float *y) { both b = {x, y}; int t = threadIdx.x; for (int i = 0; i < 4; i++) { b.to[t] = b.from[(t + 1) % 64]; b.turn(); } }
struct rows { struct at { int i, by; __device__ int operator*() const { return i; } __device__ bool operator!=(const at &o) const { return i < o.i; } __device__ at &operator++() { i += by; return *this; } }; int n; __device__ at begin() const { return {(int)threadIdx.x, 1}; } __device__ at end() const { return {n, 0}; } };
__global__ void ranged(float *a) { for (int i : rows{64}) a[i] = i; }
__device__ void moved(int2 by_value) { by_value.x = 7; }
__global__ void passed(float *a) { int2 at = make_int2(0, 0); moved(at); a[at.x] = threadIdx.x; }
__device__ void changed(int2 &at) { at.x = 7; }
__global__ void by_reference(float *a) { int2 at = make_int2(threadIdx.x, 0); changed(at); a[at.x] = threadIdx.x; }
__global__ void by_pointer(float *a) { int2 at = make_int2(threadIdx.x, 0); int *x = &at.x; x[1] = threadIdx.x; *x = 0; a[at.x] = at.y; }
struct owner { float *a; int n; __device__ void run() { auto put = [this](int i) { a[i] = n; }; n = threadIdx.x; put(n / 2); } };
__global__ void this_in_closure(owner o) { o.run(); }
struct filled { int a; int b = 0; };
__global__ void bindings(float *a) { filled f{(int)threadIdx.x}; auto &[u, v] = f; u = v; a[f.a] = threadIdx.x; }
__global__ void in_conditions(float *a, int n) { if (int i = threadIdx.x / 2; i < n) a[i] = threadIdx.x; }


// A neighbour's cell of what the host sets a pointer of the file to.
__device__ float *shown = nullptr;
__global__ void through_a_pointer_of_the_file_racy(int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) shown[i] = *(shown + i + 1);
}

#include <cooperative_groups.h>
// Another thread of the group may copy what a thread accesses, or another copy does.
__global__ void together_racy_own(const float *in, float *out) {
    __shared__ float s[64];
    auto b = cooperative_groups::this_thread_block();
    s[threadIdx.x] = 1;
    cooperative_groups::memcpy_async(b, s, in + blockIdx.x * 64, sizeof(float) * 64);
    cooperative_groups::wait(b);
    out[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x];
}

__global__ void together_racy_src(float *in, float *out) {
    __shared__ float s[64];
    auto b = cooperative_groups::this_thread_block();
    cooperative_groups::memcpy_async(b, s, in + blockIdx.x * 64, sizeof(float) * 64);
    in[blockIdx.x * 64 + threadIdx.x] = 0;
    cooperative_groups::wait(b);
    out[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x];
}

__global__ void together_racy_twice(const float *in, float *out) {
    __shared__ float s[64];
    auto b = cooperative_groups::this_thread_block();
    cooperative_groups::memcpy_async(b, s, in, 4 * 64);
    cooperative_groups::memcpy_async(b, s + 32, in, 4 * 16);
    cooperative_groups::wait(b);
    out[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x];
}

__global__ void together_racy_loop(const float *in, float *out, int n) {
    __shared__ float s[64];
    auto b = cooperative_groups::this_thread_block();
    for (int k = 0; k < n; k++) {
        cooperative_groups::memcpy_async(b, s, in + k * 64, 4 * 64);
        cooperative_groups::wait(b);
        atomicAdd(&out[blockIdx.x * 64 + threadIdx.x], s[63 - threadIdx.x]);
    }
}

__global__ void together_racy_loop2(const float *in, float *out, int n) {
    __shared__ float s[64];
    auto b = cooperative_groups::this_thread_block();
    for (int k = 0; k < n; k++) {
        cooperative_groups::memcpy_async(b, s + k, in + k * 64, 4 * 4);
    }
    cooperative_groups::wait(b);
}

__global__ void together_racy_tile(const float *in, float *out) {
    __shared__ float s[64];
    auto b = cooperative_groups::this_thread_block();
    auto t = cooperative_groups::tiled_partition<32>(b);
    float *p = s + 32 * t.meta_group_rank();
    cooperative_groups::memcpy_async(t, p, in, 4 * 32);
    cooperative_groups::wait(t);
    out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
}

__global__ void together_racy_tiles(const float *in, float *out) {
    __shared__ float s[64];
    auto b = cooperative_groups::this_thread_block();
    auto t = cooperative_groups::tiled_partition<32>(b);
    cooperative_groups::memcpy_async(t, s, in, 4 * 32);
    cooperative_groups::wait(t);
}

__global__ void together_racy_self(float *in, float *out) {
    __shared__ float s[64];
    auto b = cooperative_groups::this_thread_block();
    cooperative_groups::memcpy_async(b, s, s + 1, 4 * 32);
    cooperative_groups::wait(b);
}

// Functions of the file make and change objects.
struct assigned { int x, y; __device__ assigned &operator=(const assigned &o) { x = 0; y = o.y; return *this; } };
__global__ void assignment(int *a) { assigned s = {(int)threadIdx.x, 1}; assigned t = {0, 0}; t = s; a[t.x] = threadIdx.x; }
struct turned { int x, y; __device__ turned(int p, int q) : x(q), y(p) {} };
__global__ void constructed(int *a, int n) { turned q(threadIdx.x, n); a[q.x] = threadIdx.x; }
__global__ void constructed_by_list(int *a, int n) { turned q{(int)threadIdx.x, n}; a[q.x] = threadIdx.x; }
__global__ void constructed_in_array(int *a, int n) { turned q[1] = {{(int)threadIdx.x, n}}; a[q[0].x] = threadIdx.x; }
struct copied_to_0 { int x, y; __device__ copied_to_0(int p) : x(p), y(p) {} __device__ copied_to_0(const copied_to_0 &o) { x = 0; y = o.x; } };
__device__ int of_copy(copied_to_0 p) { return p.x; }
__global__ void by_copy(int *a) { copied_to_0 p(threadIdx.x); copied_to_0 q = p; a[q.x] = threadIdx.x; }
__global__ void by_value(int *a) { copied_to_0 p(threadIdx.x); a[of_copy(p)] = threadIdx.x; }
__device__ int2 operator+(int2 p, int2 q) { return make_int2(p.x / 2 + q.x / 2, p.y); }
__global__ void own_operator(int *a) { int2 p = make_int2(threadIdx.x, 1); int2 q = p + p; a[q.x] = threadIdx.x; }
__device__ dim3 operator+(dim3 p, int q) { return dim3(0, 0, 0); }
__global__ void own_operator_of_dim3(int *a) { dim3 p(threadIdx.x, 1, 1); dim3 z = p + 1; a[z.x] = threadIdx.x; }

// Copies in flight over barriers: nothing waits before the next one is made, or for enough of them.
__global__ void copied_too_early(float *out, const float *in, int n) {
    __shared__ float s[2][64];
    __pipeline_memcpy_async(&s[0][threadIdx.x], &in[threadIdx.x], 4);
    __pipeline_commit();
    for (int k = 0; k < n; k++) {
        if (k + 1 < n) {
            __pipeline_memcpy_async(&s[(k + 1) % 2][threadIdx.x], &in[(k + 1) * 64 + threadIdx.x], 4);
            __pipeline_commit();
            __pipeline_wait_prior(1);
        } else __pipeline_wait_prior(0);
        __syncthreads();
        out[k * 64 + threadIdx.x] = s[k % 2][63 - threadIdx.x];
    }
}
__global__ void copy_waited_for_too_late(float *out, const float *in, int n) {
    __shared__ float s[4][64];
    int t = threadIdx.x;
    for (int k = 0; k < 3; k++) {
        if (k < n) __pipeline_memcpy_async(&s[k][t], &in[k * 64 + t], 4);
        __pipeline_commit();
    }
    for (int k = 0; k < n; k++) {
        __pipeline_wait_prior(3);
        __syncthreads();
        int next = k + 3;
        if (next < n) __pipeline_memcpy_async(&s[next % 4][t], &in[next * 64 + t], 4);
        __pipeline_commit();
        out[k * 64 + t] = s[k % 4][63 - t];
    }
}
__global__ void copy_without_wait(float *out, const float *in) {
    __shared__ float s[64];
    __pipeline_memcpy_async(&s[threadIdx.x], &in[threadIdx.x], 4);
    __pipeline_commit();
    __syncthreads();
    out[threadIdx.x] = s[63 - threadIdx.x];
}
// The copy is one more thread: what it writes, nobody may read yet.
__global__ void own_copy(float *out, const float *in) {
    __shared__ float s[64];
    __pipeline_memcpy_async(&s[threadIdx.x], &in[threadIdx.x], 4);
    __pipeline_commit();
    out[threadIdx.x] = s[threadIdx.x];
}
__global__ void source_of_copy(float *in) {
    __shared__ float s[64];
    __pipeline_memcpy_async(&s[threadIdx.x], &in[threadIdx.x], 4);
    __pipeline_commit();
    __syncthreads();
    in[63 - threadIdx.x] = 1;
    __pipeline_wait_prior(0);
}
// Loops that are left in the middle, of which iterations meet.
__global__ void left_at_top(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; while (true) { if (i >= n) break; a[i] = threadIdx.x; i++; } }
__global__ void left_by_else(float *a, int n) { int i = threadIdx.x; for (;;) { if (i < n) { a[i / 2] = threadIdx.x; i += blockDim.x; } else break; } }
__global__ void left_at_end(float *a, int n) { int i = threadIdx.x; for (;;) { a[i < n ? i : 0] = threadIdx.x; i += blockDim.x; if (i >= n) break; } }
__global__ void left_behind(float *a, int n) { int i = threadIdx.x; for (;;) { i += blockDim.x; if (i >= n) { a[0] = threadIdx.x; break; } a[i] = threadIdx.x; } }
__global__ void left_by_return(float *a, unsigned n) { unsigned i = threadIdx.x; while (1) { if (i >= n) return; a[i / 2] = threadIdx.x; i += blockDim.x; } }
__global__ void left_halves(float *a) { __shared__ float s[64]; int t = threadIdx.x, h = 32; s[t] = a[t]; __syncthreads(); for (;;) { if (h == 0) break; if (t < h) s[t] += s[t + h]; h >>= 1; } if (t == 0) a[0] = s[0]; }
__global__ void left_with_value(int *a) { int k = threadIdx.x, at = 0; while (true) { if (k >= 64) { at = k / 2; break; } k += 64; } a[at] = threadIdx.x; }
__global__ void left_and_returned(int *a, int n) { int k = 0; while (true) { if (k >= n) return; if (k == 3) break; k++; } a[k] = threadIdx.x; }

// Rings that are too short, and tables with an element twice.
__global__ void ring_by_choice(const float *a, float *b, int n) { __shared__ float s[2][64]; int at = 0; for (int k = 0; k < n; k++) { s[at][threadIdx.x] = a[k * 64 + threadIdx.x]; at = at == 0 ? 0 : at + 1; __syncthreads(); b[k * 64 + threadIdx.x] = s[at][63 - threadIdx.x]; } }
__global__ void ring_by_if(const float *a, float *b, int n) { __shared__ float s[3][64]; int at = 0; for (int k = 0; k < n; k++) { s[at][threadIdx.x] = a[k * 64 + threadIdx.x]; if (++at == 3) { at = 0; __syncthreads(); } b[threadIdx.x] = s[0][63 - threadIdx.x]; } }
__global__ void table_in_choice(int *a) { const int turned[64] = {3, 2, 1, 1}; int t = threadIdx.x; a[t < 4 ? turned[t] : t] = t; }
__global__ void local_in_choice(int *a) { int turned[8] = {7, 6, 5, 4, 3, 2, 1, 8}; int t = threadIdx.x; a[t < 8 ? turned[t] : t] = t; }

// What lambdas, objects and lists keep.
__global__ void init_capture(float *a) { auto put = [p = a + 1](int i) { p[i / 2] = i; }; put(threadIdx.x); }
__global__ void init_captures(int *a) { int t = threadIdx.x; auto put = [&r = t, k = t, a] { r = k / 2; a[r] = k; }; put(); }
__global__ void nested_captures(float *a) { auto outer = [p = a + 1](int i) { auto inner = [p = p + i / 2] { *p = threadIdx.x; }; inner(); }; outer(threadIdx.x); }
struct kept { int k, j; };
__global__ void one_of_two(int *a, bool c) { kept v = {(int)threadIdx.x, 0}, w = {(int)threadIdx.x / 2, 1}; a[(c ? v : w).k] = threadIdx.x; }
__global__ void changed_one_of_two(int *a, bool c) { kept v = {0, 0}, w = {0, 0}; (c ? v : w).k = threadIdx.x; a[v.k] = threadIdx.x; }
__global__ void array_of_objects(int *a) { kept s[4]; s[3].k = threadIdx.x; s[2].k = 0; a[s[2].k] = threadIdx.x; }
struct left_alone { int k; __device__ left_alone(int i) : k(i) {} __device__ ~left_alone() {} };
struct holds_one { left_alone e; int j; };
__global__ void empty_destructor(int *a) { left_alone e(threadIdx.x / 2); a[e.k] = threadIdx.x; }
__global__ void destructor_of_field(int *a) { holds_one h = {{(int)threadIdx.x}, 1}; a[h.j] = h.e.k; }
struct last_word { int *p; __device__ last_word(int *q) : p(q) {} __device__ ~last_word() { p[0] = threadIdx.x; } };
__global__ void destructor_that_writes(int *a) { last_word l(a); }
struct has_last_word { last_word l; __device__ has_last_word(int *q) : l(q) {} __device__ ~has_last_word() {} };
__global__ void destructor_of_field_that_writes(int *a) { has_last_word h(a); }
struct of_last_word : last_word { __device__ of_last_word(int *q) : last_word(q) {} };
__global__ void destructor_of_base_that_writes(int *a) { of_last_word h(a); }
struct pair_and { int v[2]; int n; };
__global__ void nested_list(int *a) { pair_and w = {{1, (int)threadIdx.x}, 3}; a[w.v[0] * w.n] = threadIdx.x; }
__global__ void shorter_list(int *a) { pair_and w = {{(int)threadIdx.x}}; a[w.v[1] + w.n] = threadIdx.x; }
__global__ void list_of_lists(int *a) { pair_and w[2] = {{{1, 2}, 3}, {{0, 5}, (int)threadIdx.x}}; a[w[0].n + w[1].v[0]] = threadIdx.x; }
__global__ void dim3_of_ones(int *a) { dim3 d; d.x = threadIdx.x; a[d.z * d.y] = threadIdx.x; }
struct offsets { int at[8]; };
__global__ void field_by_thread(offsets o, int *a) { a[o.at[threadIdx.x & 7]] = threadIdx.x; }

// Casts that look like calls and differences, and enumerators by the names of their enumerations.
typedef unsigned char octet;
enum side { near_side, far_side = 3 };
enum class step_of : unsigned char { none, one, whole = 64 };
__global__ void cast_of_call(int *a, float f) { a[(octet)(threadIdx.x * 256)] = threadIdx.x; }
template <class T> __global__ void cast_to_parameter(T *a) { a[(T)(threadIdx.x / 2)] = threadIdx.x; }
template __global__ void cast_to_parameter<int>(int *);
__global__ void cast_before_sign(int *a) { a[threadIdx.x * (300 + (octet)-1 - 555)] = threadIdx.x; }
__global__ void enumerators_of(int *a) { a[threadIdx.x * (side::far_side - 3)] = threadIdx.x; }
__global__ void enumerators_of_class(int *a) { a[threadIdx.x * (int)step_of::none] = threadIdx.x; }
__global__ void enumerators_of_cases(int *a, side s) { switch (s) { case side::near_side: a[threadIdx.x] = 1; break; case side::far_side: a[0] = threadIdx.x; } }

// Barriers that hold some threads, or nobody knows whom.
#include <cooperative_groups.h>
namespace groups = cooperative_groups;
__global__ void mask_of_vote(int *a, int n) { a[0] = threadIdx.x; unsigned mask = __ballot_sync(0xffffffff, threadIdx.x < n); if (threadIdx.x < n) __syncwarp(mask); }
__global__ void mask_of_tile(int *a) { __shared__ int s[16]; if (threadIdx.x < 16) { s[threadIdx.x] = 1; __syncwarp(0xffff); a[threadIdx.x] = s[threadIdx.x ^ 1]; s[threadIdx.x] = 2; } }
__global__ void mask_of_lower_tile(int *a) { __shared__ int s[16]; if (threadIdx.x < 8) { s[threadIdx.x] = 1; __syncwarp(0xff); a[threadIdx.x] = s[threadIdx.x ^ 1]; } else if (threadIdx.x < 16) s[threadIdx.x - 8] = 3; }
__global__ void tiles_of_number(int *a) { auto t = groups::tiled_partition(groups::this_thread_block(), 8); __shared__ int s[64]; s[threadIdx.x] = 1; t.sync(); a[threadIdx.x] = s[threadIdx.x ^ 8]; }

// A flag that is read before all threads see it.
__global__ void flag_of_block(int *a, int *b) { __shared__ int go; if (threadIdx.x == 0) go = b[0]; if (go) { a[threadIdx.x] = 1; __syncthreads(); a[threadIdx.x ^ 1] = 2; } }
__global__ void flag_changed(int *a, int *b) { __shared__ int go; if (threadIdx.x == 0) go = b[0]; __syncthreads(); if (go) { a[threadIdx.x] = 1; __syncthreads(); } go = threadIdx.x; }

// Values of the device.
__global__ void alignment(int *a) { a[threadIdx.x * (alignof(float4) - 16)] = threadIdx.x; }

// An enumeration by another name, and one of that name elsewhere.
enum class kind_of { alike = 1, apart = 2 };
enum class other_kind { alike = 0, apart = 3 };
__global__ void renamed_enumeration(int *a) { using kind_of = other_kind; a[threadIdx.x * (int)kind_of::alike] = threadIdx.x; }
// The group decides what `pred` holds.
__global__ void match_of_all(int *a, int n) { auto some = groups::coalesced_threads(); int ok = 1; some.match_all(n, ok); a[0 * ok] = threadIdx.x; }

// Fields of what is packed lie where the last one ends.
struct __attribute__((packed)) tight { float w; signed char tail[3]; };
__global__ void fields_of_packed(tight *a) { if (threadIdx.x == 0) a[6].w = 1; if (threadIdx.x == 1) ((char *)a)[45] = 1; }
__global__ void packed_elements(tight *a) { if (threadIdx.x < 2) a[threadIdx.x].w = threadIdx.x; if (threadIdx.x == 2) ((float *)((char *)a + 8))[0] = 2; }

// Rows of a surface are many.
__global__ void far_row(cudaSurfaceObject_t u) { surf2Dwrite(1, u, 0, 100000); }
// Inline PTX: 16 bits of each, four words of each, and registers that are read before memory is written.
__global__ void halves_of_words(unsigned short *a) { int i = threadIdx.x; unsigned short h = 1; asm("st.u16 [%0], %1;" :: "l"(a + 2 * i), "h"(h)); ((char *)a)[4 * i + 5] = 1; }
__global__ void four_words(unsigned *a) { int i = threadIdx.x; asm("st.v4.u32 [%0+16], {%1, %2, %3, %4};" :: "l"(a + 2 * i), "r"(i), "r"(1), "r"(2), "r"(3)); }
__global__ void swapped_by_store(unsigned *a) { uint2 v; v.x = 0; v.y = 1; asm volatile("st.v2.u32 [%0], {%1, %2};" :: "l"(&v), "r"(v.y), "r"(v.x) : "memory"); a[v.y == 0 ? 0 : threadIdx.x] = 1 + threadIdx.x; }
__global__ void swapped_by_load(unsigned *a) { uint2 v; v.x = 0; v.y = 1; asm volatile("ld.v2.u32 {%0, %1}, [%2];" : "=r"(v.y), "=r"(v.x) : "l"(&v) : "memory"); a[v.y == 0 ? 0 : threadIdx.x] = 1 + threadIdx.x; }
