// Kernels that are plain with `babycuda::Off`, and watched with a monitor. Each has a variant with a race.
#pragma once

#include "../../include/babycuda_monitor.cuh"

/// The mean of a cell and its neighbours. Racy: in place.
struct Stencil {
    using Value = float;
    static constexpr const char* name = "stencil";
    static constexpr bool race_is_shared = false;
    static constexpr unsigned block_x = 256, block_y = 1, reads_per_thread = 1, writes_per_thread = 1;

    template <class M, bool Racy, class In, class Out>
    static __device__ void run(M monitor, In in_, Out out_, unsigned) {
        auto t = monitor.thread();
        auto in = t.watch(in_);
        auto out = t.watch(out_);
        const int i = blockIdx.x * blockDim.x + threadIdx.x, last = gridDim.x * blockDim.x - 1;
        if (i == 0 || i == last) return;
        if constexpr (Racy) {
            out[i] = 0.25f * out[i - 1] + 0.5f * in[i] + 0.25f * in[i + 1];
        } else {
            out[i] = 0.25f * in[i - 1] + 0.5f * in[i] + 0.25f * in[i + 1];
        }
    }
};

/// The sum of all cells: each block's in shared memory, then one atomic. Racy: without a barrier in the loop.
struct Reduction {
    using Value = int;
    static constexpr const char* name = "reduction";
    static constexpr bool race_is_shared = true;
    static constexpr unsigned block_x = 256, block_y = 1, reads_per_thread = 1, writes_per_thread = 1;

    template <class M, bool Racy, class In, class Out>
    static __device__ void run(M monitor, In in_, Out out_, unsigned) {
        auto t = monitor.thread();
        __shared__ babycuda::shared<M, int, block_x> sums_;
        auto in = t.watch(in_);
        auto out = t.watch(out_);
        auto sums = t.watch(sums_);
        const unsigned own = threadIdx.x;
        sums[own] = in[blockIdx.x * blockDim.x + own];
        t.syncthreads();
        for (unsigned stride = block_x / 2; stride > 0; stride /= 2) {
            if (own < stride) sums[own] += sums[own + stride];
            if constexpr (!Racy) t.syncthreads();
        }
        if (own == 0) atomicAdd(&out[0], sums[0]);
    }
};

/// The sums of the cells up to each one in its warp, in shared memory. Racy: without the second barrier of the warp.
struct WarpScan {
    using Value = int;
    static constexpr const char* name = "warp scan";
    static constexpr bool race_is_shared = true;
    static constexpr unsigned block_x = 256, block_y = 1, reads_per_thread = 1, writes_per_thread = 1;

    template <class M, bool Racy, class In, class Out>
    static __device__ void run(M monitor, In in_, Out out_, unsigned) {
        auto t = monitor.thread();
        __shared__ babycuda::shared<M, int, block_x> sums_;
        auto in = t.watch(in_);
        auto out = t.watch(out_);
        auto sums = t.watch(sums_);
        const unsigned own = threadIdx.x, lane = own % 32, i = blockIdx.x * blockDim.x + own;
        sums[own] = in[i];
        t.syncwarp();
        for (unsigned step = 1; step < 32; step *= 2) {
            int before = 0;
            if (lane >= step) before = sums[own - step];
            if constexpr (!Racy) t.syncwarp();
            sums[own] += before;
            t.syncwarp();
        }
        out[i] = sums[own];
    }
};

/// A matrix is transposed by tiles, each thread four cells. Racy: without a barrier.
struct Transpose {
    using Value = float;
    static constexpr const char* name = "transpose";
    static constexpr bool race_is_shared = true;
    static constexpr unsigned block_x = 32, block_y = 8, reads_per_thread = 4, writes_per_thread = 4;

    template <class M, bool Racy, class In, class Out>
    static __device__ void run(M monitor, In in_, Out out_, unsigned side) {
        auto t = monitor.thread();
        __shared__ babycuda::shared<M, float, 32, 33> tile_;
        auto in = t.watch(in_);
        auto out = t.watch(out_);
        auto tile = t.watch(tile_);
        const unsigned tiles = side / 32, left = blockIdx.x % tiles * 32, top = blockIdx.x / tiles * 32;
        for (unsigned y = threadIdx.y; y < 32; y += block_y) {
            tile[y][threadIdx.x] = in[(top + y) * side + left + threadIdx.x];
        }
        if constexpr (!Racy) t.syncthreads();
        for (unsigned y = threadIdx.y; y < 32; y += block_y) {
            out[(left + y) * side + top + threadIdx.x] = tile[threadIdx.x][y];
        }
    }
};

/// How often each value is there: each block's counts in shared memory. Racy: not atomically.
struct Histogram {
    using Value = int;
    static constexpr const char* name = "histogram";
    static constexpr bool race_is_shared = true;
    static constexpr unsigned block_x = 256, block_y = 1, reads_per_thread = 1, writes_per_thread = 1;

    template <class M, bool Racy, class In, class Out>
    static __device__ void run(M monitor, In in_, Out out_, unsigned) {
        auto t = monitor.thread();
        __shared__ babycuda::shared<M, int, block_x> counts_;
        auto in = t.watch(in_);
        auto out = t.watch(out_);
        auto counts = t.watch(counts_);
        counts[threadIdx.x] = 0;
        t.syncthreads();
        const int value = in[blockIdx.x * blockDim.x + threadIdx.x];
        if constexpr (Racy) {
            counts[value] += 1;
        } else {
            atomicAdd_block(&counts[value], 1);
        }
        t.syncthreads();
        atomicAdd(&out[threadIdx.x], counts[threadIdx.x]);
    }
};

/// The product of two matrices by tiles. Racy: without the second barrier in the loop.
struct Matmul {
    using Value = float;
    static constexpr const char* name = "matmul";
    static constexpr bool race_is_shared = true;
    static constexpr unsigned block_x = 16, block_y = 16, reads_per_thread = 2, writes_per_thread = 1;

    template <class M, bool Racy, class In, class Out>
    static __device__ void run(M monitor, In in_, Out out_, unsigned side) {
        auto t = monitor.thread();
        __shared__ babycuda::shared<M, float, 16, 16> a_, b_;
        auto in = t.watch(in_);
        auto out = t.watch(out_);
        auto a = t.watch(a_);
        auto b = t.watch(b_);
        const unsigned x = threadIdx.x, y = threadIdx.y, tiles = side / 16;
        const unsigned left = blockIdx.x % tiles * 16, top = blockIdx.x / tiles * 16;
        float sum = 0;
        for (unsigned tile = 0; tile < side; tile += 16) {
            a[y][x] = in[(top + y) * side + tile + x];
            b[y][x] = in[(side + tile + y) * side + left + x];
            t.syncthreads();
            for (unsigned k = 0; k < 16; ++k) sum += a[y][k] * b[k][x];
            if constexpr (!Racy) t.syncthreads();
        }
        out[(top + y) * side + left + x] = sum;
    }
};

template <class K, class M, bool Racy>
__global__ void kernel(M monitor, babycuda::array<M, const typename K::Value> in,
                       babycuda::array<M, typename K::Value> out, unsigned side) {
    K::template run<M, Racy>(monitor, in, out, side);
}
