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

// Each warp stores a fragment into its tile, and behind a barrier of the warp its lanes read what others hold.
__global__ void matrix_tile(const half *a, const half *b, float *c) {
    __shared__ float tile[8][256];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, half, nvcuda::wmma::row_major> left;
    nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, 16, 16, 16, half, nvcuda::wmma::col_major> right;
    nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> sum;
    nvcuda::wmma::fill_fragment(sum, 0.0f);
    nvcuda::wmma::load_matrix_sync(left, a, 16);
    nvcuda::wmma::load_matrix_sync(right, b, 16);
    nvcuda::wmma::mma_sync(sum, left, right, sum);
    if (warp < 8) {
        nvcuda::wmma::store_matrix_sync(tile[warp], sum, 16, nvcuda::wmma::mem_row_major);
        __syncwarp();
        for (int i = 0; i < 8; i++) c[(blockIdx.x * 8 + warp) * 256 + i * 32 + lane] = tile[warp][i * 32 + lane];
    }
}

// A lane stores the elements that it has loaded: fragments of one type are held alike.
__global__ void matrix_in_place(float *c) {
    int warp = threadIdx.x / 32;
    nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> sum;
    nvcuda::wmma::load_matrix_sync(sum, c + warp * 256, 16, nvcuda::wmma::mem_col_major);
    for (int i = 0; i < sum.num_elements; i++) sum.x[i] *= 2.0f;
    nvcuda::wmma::store_matrix_sync(c + warp * 256, sum, 16, nvcuda::wmma::mem_col_major);
}

#include <cuda/barrier>
#include <cuda/pipeline>
// A pipeline of each thread: its copies are complete before the barrier.
__global__ void copy_async(const float *a, float *b) {
    __shared__ float tile[1024];
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    const auto whole = cuda::aligned_size_t<alignof(float)>(sizeof(float));
    for (int k = 0; k < 4; k++) {
        pipe.producer_acquire();
        cuda::memcpy_async(&tile[threadIdx.x], &a[k * 1024 + threadIdx.x], whole, pipe);
        pipe.producer_commit();
        pipe.consumer_wait();
        __syncthreads();
        b[k * 1024 + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
        pipe.consumer_release();
        __syncthreads();
    }
}

// The same by primitives: what lies behind the end is filled with zeros.
__global__ void copy_by_primitives(const float *a, float *b, int n) {
    __shared__ float tile[1024];
    for (int k = 0; k < 4; k++) {
        int i = k * 1024 + threadIdx.x;
        __pipeline_memcpy_async(&tile[threadIdx.x], &a[i], sizeof(float), i < n ? 0 : sizeof(float));
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        b[i] = tile[blockDim.x - 1 - threadIdx.x];
        __syncthreads();
    }
}

// A barrier object for all threads of the block, which also waits for the copies.
__global__ void block_barrier(const float *a, float *b) {
    __shared__ float tile[1024];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(&tile[threadIdx.x], &a[threadIdx.x], sizeof(float), bar);
    auto token = bar.arrive();
    bar.wait(std::move(token));
    b[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

// One of the lanes that are active together counts for all of them.
__global__ void active_count(const int *a, int *counter, int *sums) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (a[i] > 0) {
        cooperative_groups::coalesced_group active = cooperative_groups::coalesced_threads();
        auto like = cooperative_groups::labeled_partition(active, a[i] % 4);
        int sum = cooperative_groups::reduce(like, a[i], cooperative_groups::plus<int>());
        if (active.thread_rank() == 0) atomicAdd(counter, active.size());
        if (like.thread_rank() == 0) atomicAdd(&sums[like.meta_group_rank()], sum);
    }
}

// What methods, functors and closures keep.
template <class T> struct span { T *p; int n; __device__ T &operator[](int i) { return p[i]; } __device__ int size() const { return n; } };
__global__ void span_stride(span<float> s) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < s.size(); i += gridDim.x * blockDim.x) s[i] = s[i] * 2; }
struct based { float *p; __device__ void put(int i, float x) { p[i] = x; } };
struct bounded : based { int n; };
__global__ void of_base(bounded d) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < d.n) d.put(i, 1); }
struct store { float *p; __device__ void operator()(int i) const { p[i] = i; } };
template <class F> __device__ void each(int n, F f) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) f(i); }
__global__ void functor(float *a, int n) { each(n, store{a}); }
__global__ void closure(float *a, int n) { int own = blockIdx.x * blockDim.x + threadIdx.x; auto put = [&](float x) { a[own] = x; }; auto twice = [&, n](float x) { if (own < n) { put(x); put(x + 1); } }; twice(1); }
struct count { int i, end, step; __device__ count(int first, int last, int by) : i(first), end(last), step(by) {} __device__ bool more() const { return i < end; } __device__ void next() { i += step; } };
__global__ void counting(float *a, int n) { for (count c(threadIdx.x, n, blockDim.x); c.more(); c.next()) a[c.i] = c.step; }
struct both { float *from, *to; __device__ void turn() { float *other = from; from = to; to = other; } };
__global__ void turns(float *x, float *y) { both b = {x, y}; int t = threadIdx.x; for (int i = 0; i < 4; i++) { b.to[t] = b.from[(t + 1) % 64]; __syncthreads(); b.turn(); } }
struct rows { struct at { int i, by; __device__ int operator*() const { return i; } __device__ bool operator!=(const at &o) const { return i < o.i; } __device__ at &operator++() { i += by; return *this; } }; int n; __device__ at begin() const { return {(int)threadIdx.x, (int)blockDim.x}; } __device__ at end() const { return {n, 0}; } };
__global__ void ranged(float *a, int n) { for (int i : rows{n}) a[i] = i; }
__device__ int2 halves(int i, int w) { int2 r; r.x = i % w; r.y = i / w; return r; }
__global__ void pair(float *a) { int2 at = halves(threadIdx.x, 8); int2 &same = at; same.x += 64; a[at.y * 128 + at.x] = 1; }
__constant__ based fixed;
__device__ void put_in(const based &b, int i) { b.p[i] = i; }
__global__ void of_host() { put_in(fixed, threadIdx.x); }
struct owner { float *a; int n; __device__ int own() const { return blockIdx.x * blockDim.x + threadIdx.x; } __device__ void run() { auto put = [this](int i) { if (i < n) a[i] = 1; }; put(own()); } };
__global__ void this_in_closure(owner o) { o.run(); }
struct named { float *p; __device__ named(float *q) : p(q) {} };
struct derived_of : named { long at = 3; __device__ derived_of(float *q) : named(q) { at = threadIdx.x; } };
struct filled { int a; int b = 2; };
__global__ void bases(float *a) { derived_of d(a); filled f{(int)threadIdx.x}; d.p[d.at * f.b] = f.a; }
__global__ void bindings(float *a) { filled f{(int)threadIdx.x}; auto &[u, v] = f; u = 2 * u; a[f.a * v] = 1; auto [x, y] = halves(threadIdx.x, 8); a[4096 + 64 * y + x] = 2; }
__global__ void in_conditions(float *a, int n) { if (int i = threadIdx.x; i < n) a[i] = 1; if (int j = threadIdx.x) a[j + 1024] = 2; else a[j + 1024] = 3; }

// A pointer that only the host sets, with what it does not read twice.
__device__ float *shown;
__constant__ const int *places;
__global__ void through_pointers_of_the_file(int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) shown[i] = places[i / 2];
}

#include <cooperative_groups.h>
// Groups copy together, whichever thread does, and wait for each other.
__global__ void together(const float *in, float *out) {
    __shared__ float s[64];
    auto b = cooperative_groups::this_thread_block();
    cooperative_groups::memcpy_async(b, s, in + blockIdx.x * 64, sizeof(float) * 64);
    cooperative_groups::wait(b);
    out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
}

__global__ void together_loop(const float *in, float *out, int n) {
    __shared__ float s[64];
    auto b = cooperative_groups::this_thread_block();
    for (int k = 0; k < n; k++) {
        cooperative_groups::memcpy_async(b, s, in + k * 64, 4 * 64);
        cooperative_groups::wait(b);
        atomicAdd(&out[blockIdx.x * 64 + threadIdx.x], s[63 - threadIdx.x]);
        b.sync();
    }
}

__global__ void together_loop2(const float *in, float *out, int n) {
    __shared__ float s[64];
    auto b = cooperative_groups::this_thread_block();
    for (int k = 0; k < n; k++) {
        cooperative_groups::memcpy_async(b, s + k * 4, in + k * 64, 4 * 4);
    }
    cooperative_groups::wait(b);
}

__global__ void together_tile(const float *in, float *out) {
    __shared__ float s[64];
    auto b = cooperative_groups::this_thread_block();
    auto t = cooperative_groups::tiled_partition<32>(b);
    float *p = s + 32 * t.meta_group_rank();
    cooperative_groups::memcpy_async(t, p, in, 4 * 32);
    cooperative_groups::wait(t);
    out[blockIdx.x * 64 + threadIdx.x] = p[31 - t.thread_rank()];
}

// Functions of the file make and change objects.
struct turned { int x, y; __device__ turned(int p, int q) : x(q), y(p) {} };
__global__ void constructed(int *a, int n) { turned q(n, threadIdx.x); a[q.x] = threadIdx.x; }
__device__ void operator+=(int2 &p, int k) { p.y += k; }
__global__ void own_operator(int *a) { int2 p = make_int2(threadIdx.x, 1); p += 3; a[p.x] = 1; if (threadIdx.x == 0) a[blockDim.x] = 2; }
// What it is not given is 1.
__global__ void rest_of_dim3(int *a, int n, int m) { dim3 d = dim3(n, m); int z = a[d.z & 63]; if (threadIdx.x == 0) a[0] = z; }
// Closures that loops call.
__global__ void closure_in_loop(float *x, int n) { auto store = [&](int i, float v) { if (i < n) x[i] = v; }; for (int i = threadIdx.x; i < n; i += blockDim.x) store(i, 2.f); }
template <class F> __device__ void each_of(int n, F f) { for (int b = blockIdx.x * blockDim.x + threadIdx.x; b < n; b += gridDim.x * blockDim.x) f(b); }
__global__ void closure_that_loops_give(float *x, int n) { int s = 0; each_of(n, [&](int b) { s += b; x[b] = s; }); }

// Copies in flight over barriers: two buffers, and a ring of four.
__global__ void copy_ahead(float *out, const float *in, int n) {
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
        __syncthreads();
    }
}
__global__ void copies_in_ring(float *out, const float *in, int n) {
    __shared__ float s[4][64];
    int t = threadIdx.x;
    for (int k = 0; k < 3; k++) {
        if (k < n) __pipeline_memcpy_async(&s[k][t], &in[k * 64 + t], 4);
        __pipeline_commit();
    }
    for (int k = 0; k < n; k++) {
        __pipeline_wait_prior(2);
        __syncthreads();
        int next = k + 3;
        if (next < n) __pipeline_memcpy_async(&s[next % 4][t], &in[next * 64 + t], 4);
        __pipeline_commit();
        out[k * 64 + t] = s[k % 4][63 - t];
    }
}
// Some threads copy, and wait; all release.
__global__ void some_threads_copy(const float *a, float *b, int n) {
    __shared__ float tile[64];
    int i = threadIdx.x;
    float sum = 0;
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    for (int k = 0; k < n; k++) {
        if (i < 16) {
            pipe.producer_acquire();
            cuda::memcpy_async(&tile[i * 4], &a[k * 64 + i * 4], 16, pipe);
            pipe.producer_commit();
            pipe.consumer_wait();
        }
        __syncthreads();
        sum += tile[63 - i];
        pipe.consumer_release();
        __syncthreads();
    }
    b[i] = sum;
}
// The stage of the next iteration, if there is one.
__global__ void stage_ahead(const float *a, float *b, int n) {
    __shared__ float tile[2][64];
    int i = threadIdx.x;
    float sum = 0;
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&tile[0][i], &a[i], sizeof(float), pipe);
    pipe.producer_commit();
    for (int k = 0; k < n; k++) {
        if (k + 1 < n) {
            pipe.producer_acquire();
            cuda::memcpy_async(&tile[(k + 1) % 2][i], &a[(k + 1) * 64 + i], sizeof(float), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        __syncthreads();
        sum += tile[k % 2][63 - i];
        pipe.consumer_release();
        __syncthreads();
    }
    b[i] = sum;
}
// Arrivals and waits, as they are written.
__global__ void arrivals(const float *a, float *b) {
    __shared__ float tile[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    tile[threadIdx.x] = a[threadIdx.x];
    cuda::barrier<cuda::thread_scope_block>::arrival_token token = bar.arrive();
    bar.wait(std::move(token));
    b[threadIdx.x] = tile[63 - threadIdx.x];
    bar.wait(bar.arrive());
    tile[63 - threadIdx.x] = b[threadIdx.x];
}
// Enumerators as arguments of templates.
enum order { straight, turned_around };
namespace kinds { enum class pitch { narrow = 1, wide = 4 }; }
template <order O, kinds::pitch P> struct layout { int i; __device__ int at() const { return (O == turned_around ? 63 - i : i) * (int)P; } };
__global__ void enumerated(int *a) { layout<turned_around, kinds::pitch::wide> l{(int)threadIdx.x}; a[l.at()] = 1; a[l.at() + 1] = 2; }

// Loops that are left in the middle.
__global__ void left_at_top(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x, by = gridDim.x * blockDim.x; while (true) { if (i >= n) break; a[i] = threadIdx.x; i += by; } }
__global__ void left_by_else(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; for (;;) { if (i < n) { a[i] = threadIdx.x; i += gridDim.x * blockDim.x; } else break; } }
__global__ void left_at_end(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) for (;;) { a[i] = threadIdx.x; i += gridDim.x * blockDim.x; if (i >= n) break; } }
__global__ void left_by_do(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; do { if (i >= n) break; a[i] = threadIdx.x; i += gridDim.x * blockDim.x; } while (true); }
__global__ void left_by_return(float *a, unsigned n) { unsigned i = blockIdx.x * blockDim.x + threadIdx.x; while (1) { if (i >= n) return; a[i] = threadIdx.x; i += gridDim.x * blockDim.x; } }
__global__ void left_twice(float *a, int n, int m) { int i = threadIdx.x, k = 0; while (true) { if (i >= n) break; if (k >= m) break; a[i] = threadIdx.x; i += blockDim.x; k++; } }
__global__ void left_for_data(float *a, int n) { int i = threadIdx.x; while (true) { if (i >= n) break; a[i] += 1; if (a[i] > 5) break; i += blockDim.x; } }
__global__ void left_halves(float *a) { __shared__ float s[64]; int t = threadIdx.x, h = 32; s[t] = a[t]; for (;;) { if (h == 0) break; __syncthreads(); if (t < h) s[t] += s[t + h]; h >>= 1; } if (t == 0) a[0] = s[0]; }
__global__ void left_with_value(int *a) { int k = threadIdx.x, at = 0; while (true) { if (k >= 64) { at = k - 64; break; } k += 64; } a[at] = threadIdx.x; }

// Rings, and tables that one side of a choice reads.
__global__ void ring_by_choice(const float *a, float *b, int n) { __shared__ float s[3][64]; int at = 0; float x = 0; for (int k = 0; k < n; k++) { s[at][threadIdx.x] = a[k * 64 + threadIdx.x]; __syncthreads(); x += s[at][63 - threadIdx.x]; at = at == 2 ? 0 : at + 1; } b[threadIdx.x] = x; }
__global__ void ring_by_if(const float *a, float *b, int n) { __shared__ float s[3][64]; int at = 0; float x = 0; for (int k = 0; k < n; k++) { s[at][threadIdx.x] = a[k * 64 + threadIdx.x]; __syncthreads(); x += s[at][63 - threadIdx.x]; if (++at >= 3) at = 0; } b[threadIdx.x] = x; }
__global__ void ring_down(const float *a, float *b, int n) { __shared__ float s[3][64]; int at = 2; float x = 0; for (int k = 0; k < n; k++) { s[at][threadIdx.x] = a[k * 64 + threadIdx.x]; __syncthreads(); x += s[at][63 - threadIdx.x]; at = at > 0 ? at - 1 : 2; } b[threadIdx.x] = x; }
__global__ void table_in_choice(int *a) { const int turned[64] = {3, 2, 1, 0}; int t = threadIdx.x; a[t < 4 ? turned[t] : t] = t; }
__global__ void local_in_choice(int *a) { int turned[8] = {7, 6, 5, 4, 3, 2, 1, 0}; int t = threadIdx.x; a[t < 8 ? turned[t] : t] = t; }

// What lambdas, objects and lists keep.
__global__ void init_capture(float *a) { auto put = [p = a + 1](int i) { p[i] = i; }; put(threadIdx.x); }
__global__ void init_captures(int *a) { int t = threadIdx.x; auto put = [&r = t, k = t, a] { r = 0; a[k] = k; }; put(); }
__global__ void nested_captures(float *a) { auto outer = [p = a + 1](int i) { auto inner = [p = p + i] { *p = 1; }; inner(); }; outer(threadIdx.x); }
struct kept { int k, j; };
__global__ void one_of_two(int *a, bool c) { kept v = {(int)threadIdx.x, 0}, w = {63 - (int)threadIdx.x, 1}; a[(c ? v : w).k] = threadIdx.x; }
__global__ void changed_one_of_two(int *a, bool c) { kept v = {0, 0}, w = {0, 0}; (c ? v : w).k = threadIdx.x; a[v.k + w.k] = threadIdx.x; }
__global__ void array_of_objects(int *a) { kept s[4]; s[3].k = threadIdx.x; s[2].k = 0; a[s[3].k] = threadIdx.x; }
struct left_alone { int k; __device__ left_alone(int i) : k(i) {} __device__ ~left_alone() {} };
struct holds_one { left_alone e; int j; };
__global__ void empty_destructor(int *a) { left_alone e(threadIdx.x); a[e.k] = e.k; }
__global__ void destructor_of_field(int *a) { holds_one h = {{(int)threadIdx.x}, 1}; a[h.e.k] = h.j; }
struct pair_and { int v[2]; int n; };
__global__ void nested_list(int *a) { pair_and w = {{1, (int)threadIdx.x}, 3}; a[w.v[1] * w.n] = 1; }
__global__ void shorter_list(int *a) { pair_and w = {{(int)threadIdx.x}}; a[w.v[0] + w.v[1] + w.n] = threadIdx.x; }
__global__ void list_of_lists(int *a) { pair_and w[2] = {{{1, 2}, 3}, {{0, 5}, (int)threadIdx.x}}; a[w[1].n + w[1].v[0]] = threadIdx.x; }
__global__ void dim3_of_ones(int *a) { dim3 d; d.x = threadIdx.x; a[d.x * d.y] = threadIdx.x; }
struct offsets { int at[8]; };
__global__ void field_by_thread(offsets o, int *a) { if (o.at[threadIdx.x & 7] == (int)(threadIdx.x & 7)) a[o.at[threadIdx.x & 7] + 8 * (threadIdx.x / 8)] = threadIdx.x; }

// What a list leaves out is what the class says.
struct defaults { int k = 1, l = 1; };
struct built { int k; __device__ built(int a = 1) : k(a) {} };
struct with_dim3 { dim3 dims_of; int k_of; };
__global__ void rest_of_defaults(int *a) { defaults d[2] = {}; a[d[1].k * threadIdx.x] = 1; }
__global__ void rest_of_built(int *a) { built d[2] = {2}; a[d[1].k * threadIdx.x] = 1; }
__global__ void rest_of_dim3s(int *a) { dim3 d[2] = {2}; a[d[1].y * threadIdx.x] = 1; }
__global__ void rest_with_dim3(int *a) { with_dim3 s[2] = {{2, 3}}; a[s[1].dims_of.y * threadIdx.x] = 1; }

// Casts that look like calls and differences, and enumerators by the names of their enumerations.
typedef unsigned char octet;
enum side { near_side, far_side = 3 };
enum class step_of : unsigned char { none, one, whole = 64 };
__global__ void cast_of_call(int *a, float f) { a[(octet)(threadIdx.x + 256) + (octet)(f) * 0] = 1; }
template <class T> __global__ void cast_to_parameter(T *a) { a[(T)(threadIdx.x)] = 1; }
template __global__ void cast_to_parameter<int>(int *);
__global__ void cast_before_sign(int *a) { a[threadIdx.x * (300 + (octet)-1 - 554)] = 1; }
__global__ void cast_before_star(octet *a, int *b) { a[threadIdx.x] = (octet)*b; }
__global__ void enumerators_of(int *a) { a[threadIdx.x * (side::far_side - 2) * (int)step_of::one] = 1; }
__global__ void enumerators_of_cases(int *a, side s) { switch (s) { case side::near_side: a[threadIdx.x] = 1; break; case side::far_side: a[63 - threadIdx.x] = 2; } }

// Groups of threads that values choose: nobody need wait at their barriers.
#include <cooperative_groups.h>
namespace groups = cooperative_groups;
__global__ void mask_of_vote(int *a, int n) { unsigned mask = __ballot_sync(0xffffffff, threadIdx.x < n); if (threadIdx.x < n) { a[threadIdx.x] = 1; __syncwarp(mask); } }
__global__ void mask_of_tile(int *a) { __shared__ int s[16]; if (threadIdx.x < 16) { s[threadIdx.x] = 1; __syncwarp(0xffff); a[threadIdx.x] = s[threadIdx.x ^ 1]; } }
__global__ void mask_of_upper_tile(int *a) { __shared__ int s[32]; if (threadIdx.x < 32 && threadIdx.x >= 24) { s[threadIdx.x] = 1; __syncwarp(0xff000000); a[threadIdx.x] = s[threadIdx.x ^ 7]; } }
__global__ void chosen_group(int *a, int n) { if (threadIdx.x < n) { auto some = groups::coalesced_threads(); a[threadIdx.x] = some.size() + some.ballot(1); some.sync(); } }
__global__ void labelled_group(int *a, int *k) { auto whole = groups::tiled_partition<32>(groups::this_thread_block()); auto some = groups::labeled_partition(whole, k[threadIdx.x]); a[threadIdx.x] = some.thread_rank(); groups::sync(some); }
__global__ void wide_tiles(int *a) { auto t = groups::tiled_partition<64>(groups::this_thread_block()); a[threadIdx.x] = t.thread_rank(); t.sync(); }
__global__ void tiles_of_number(int *a) { auto t = groups::tiled_partition(groups::this_thread_block(), 8); __shared__ int s[64]; s[threadIdx.x] = 1; t.sync(); a[threadIdx.x] = s[threadIdx.x ^ 7]; }

// What all threads of a block read alike.
__global__ void flag_of_block(int *a, int *b) { __shared__ int go; if (threadIdx.x == 0) go = b[0]; __syncthreads(); if (go) { a[threadIdx.x] = 1; __syncthreads(); a[threadIdx.x ^ 1] = 2; } }
__global__ void return_of_block(int *a, int *b) { __shared__ int go; if (threadIdx.x == 0) go = b[0]; __syncthreads(); if (go > 3) return; a[threadIdx.x] = 1; __syncthreads(); a[threadIdx.x ^ 1] = 2; }
__global__ void flag_held(int *a, int *b) { __shared__ int go; if (threadIdx.x == 0) go = b[0]; __syncthreads(); int held = go; __syncthreads(); if (threadIdx.x == 0) go = 7; if (held) { a[threadIdx.x] = 1; __syncthreads(); a[threadIdx.x ^ 1] = go; } }
__global__ void answer_of_block(int *a, int *b) { if (__syncthreads_or(b[threadIdx.x])) { a[threadIdx.x] = 1; __syncthreads(); a[threadIdx.x ^ 1] = 2; } }
__device__ unsigned tickets;
__global__ void last_block(int *a, int *b) { __shared__ bool last; b[blockIdx.x * 64 + threadIdx.x] = 1; if (threadIdx.x == 0) last = atomicInc(&tickets, gridDim.x) == gridDim.x - 1; __syncthreads(); if (last) { __shared__ int s[64]; s[threadIdx.x] = 1; __syncthreads(); if (threadIdx.x == 0) a[blockIdx.x] = s[63]; } }

// Values of the device.
__global__ void parts_of_words(unsigned *a, unsigned b) { a[threadIdx.x] = __vabsdiffu4(b, 1) + __vadd2(b, b) + __vneg4(b) + __dp4a(b, b, 0u) + __umul64hi(b, b) + __double2int_rz(1.5); }
__global__ void unreachable_case(int *a, int n) { switch (n) { case 1: a[threadIdx.x] = 1; break; default: __builtin_unreachable(); } if (n != 1) a[0] = 1; }
__global__ void expected(int *a, int n) { if (__builtin_expect(n > 0, 1)) a[threadIdx.x] = 1; }
__global__ void alignment(int *a) { a[threadIdx.x * (alignof(float4) - 15)] = 1; }

// An enumeration by another name, and one of that name elsewhere.
enum class kind_of { alike = 0, apart = 2 };
enum class other_kind { alike = 1, apart = 3 };
__global__ void renamed_enumeration(int *a) { typedef other_kind kind_of; a[threadIdx.x * (int)kind_of::alike] = threadIdx.x; }

// Fields of what is packed lie where the last one ends.
struct __attribute__((packed)) tight { float w; signed char tail[3]; };
__global__ void fields_of_packed(tight *a) { if (threadIdx.x == 0) a[6].w = 1; if (threadIdx.x == 1) ((char *)a)[46] = 1; if (threadIdx.x == 2) ((char *)a)[41] = 1; }
__global__ void packed_elements(tight *a) { a[threadIdx.x].w = 1; a[threadIdx.x].tail[2] = 2; }

// The lanes of the second warp have the same masks.
__global__ void four_lanes_of_each(int *a) { __shared__ int s[64]; int i = threadIdx.x; if ((i & 31) < 4) { s[i] = i; __syncwarp(0xf); a[i] = s[i ^ 1]; } }
__global__ void two_words(unsigned *a) { int i = threadIdx.x; unsigned x, y; asm("ld.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(a + 2 * i)); a[2 * i] = y; a[2 * i + 1] = x; }
