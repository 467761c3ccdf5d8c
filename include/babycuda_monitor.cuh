// Watches a CUDA C++ kernel for data races while it runs: a word for each cell of the watched arrays, with HiRace's
// state machine as babycuda derives it. docs/MONITOR.md says how to use it, what it finds and what it does not.
//
//     template <class M>
//     __global__ void neighbours(M monitor, babycuda::array<M, const float> in_, babycuda::array<M, float> out_) {
//         auto t = monitor.thread();
//         __shared__ babycuda::shared<M, float, 256> tile_;
//         auto in = t.watch(in_);
//         auto out = t.watch(out_);
//         auto tile = t.watch(tile_);
//         ...
//         tile[threadIdx.x] = in[i];
//         t.syncthreads();
//         atomicAdd(&out[0], tile[255 - threadIdx.x]);
//     }
//
// With `babycuda::Off` for M it is the plain kernel, and with what `babycuda::Monitor<>::launch` gives the watched one.
#pragma once

#include "babycuda_monitor_cells.h"

namespace babycuda {

/// An array of global memory with its words, as a kernel's parameter.
template <class L, class T>
struct Array {
    T* data;
    typename L::Word* words;
    unsigned long long size;
    unsigned number;
    /// As one of `const T`.
    template <class U>
    BABYCUDA_HOST operator Array<L, U>() const { return {data, words, size, number}; }
};

/// An array of shared memory with its words: `Rows`, or `Rows` times `Columns` cells.
template <class L, class T, unsigned Rows, unsigned Columns>
struct SharedArray {
    T data[Rows * Columns];
    typename L::Word words[Rows * Columns];
};

/// A thread of a watched kernel.
template <class G, class S>
class Thread {
  public:
    static_assert(G::has_epochs && G::has_blocks, "words of global memory have a clock of the grid, and blocks");
    static_assert(!S::has_epochs && !S::has_blocks, "words of shared memory are of one block in one kernel");

    BABYCUDA_DEVICE Thread(Findings* findings, unsigned epoch, unsigned grid_barriers)
        : global(epoch, block(), index()), local(0, 0, index()), findings(findings), grid_barriers(grid_barriers) {}
    Thread(const Thread&) = delete;

    template <class T>
    BABYCUDA_DEVICE auto watch(Array<G, T> array) {
        return Cells<Thread, G, T, false>{this, array.data, array.words, array.size, array.number};
    }
    /// All threads of the block watch an array of shared memory, once, before they access it: this is a barrier of
    /// the block, which orders nothing as far as the monitor knows.
    template <class T, unsigned Rows, unsigned Columns>
    BABYCUDA_DEVICE auto watch(SharedArray<S, T, Rows, Columns>& array, int line = __builtin_LINE()) {
        clear(array.words, Rows * Columns);
        return Cells<Thread, S, T, true, Columns>{this, array.data, array.words, Rows * Columns,
                                                 static_cast<unsigned>(line)};
    }
    /// The same for shared memory of a size that the launch gives, with as many words elsewhere in it.
    template <class T>
    BABYCUDA_DEVICE auto watch(T* data, typename S::Word* words, unsigned size, int line = __builtin_LINE()) {
        clear(words, size);
        return Cells<Thread, S, T, true>{this, data, words, size, static_cast<unsigned>(line)};
    }

    BABYCUDA_DEVICE void syncthreads() {
        __syncthreads();
        pass_block();
    }
    BABYCUDA_DEVICE int syncthreads_count(int predicate) {
        const int all = __syncthreads_count(predicate);
        return pass_block(), all;
    }
    BABYCUDA_DEVICE int syncthreads_and(int predicate) {
        const int all = __syncthreads_and(predicate);
        return pass_block(), all;
    }
    BABYCUDA_DEVICE int syncthreads_or(int predicate) {
        const int all = __syncthreads_or(predicate);
        return pass_block(), all;
    }
    /// A mask without some thread of the warp is not supported: up to the next barrier of all of the warp or the
    /// block, accesses of this thread are not watched, and the report says so.
    BABYCUDA_DEVICE void syncwarp(unsigned mask = 0xffffffff) {
        __syncwarp(mask);
        const unsigned rest = blockDim.x * blockDim.y * blockDim.z - (index() & ~31u);
        const unsigned lanes = rest >= 32 ? 0xffffffff : (1u << rest) - 1;
        pass_warp((mask & lanes) == lanes);
    }
    /// `cooperative_groups::this_grid()`, in a launch that allows for so many barriers of the grid.
    /// Other groups have no `is_valid()`.
    template <class Grid>
    BABYCUDA_DEVICE auto sync(Grid&& grid) -> decltype(grid.is_valid(), void()) {
        grid.sync();
        pass_grid();
    }

    /// What a barrier changes: for code that waits in another way.
    BABYCUDA_DEVICE void pass_block() { global.pass_block(), local.pass_block(); }
    BABYCUDA_DEVICE void pass_warp(bool whole) { global.pass_warp(whole), local.pass_warp(whole); }
    BABYCUDA_DEVICE void pass_grid() {
        global.pass_grid(grid_barriers == 0), local.pass_grid(grid_barriers == 0);
        if (grid_barriers > 0) --grid_barriers;
    }

    /// An access of a cell.
    template <class L, Mode M, bool IsShared>
    BABYCUDA_DEVICE void access(typename L::Word* words, typename detail::Size<IsShared>::type size,
                                typename detail::Size<IsShared>::type at, unsigned array, int line) {
        const Accessor<L>& me = accessor<L, IsShared>();
        if (me.blind() != 0 || at >= size) return detail::note(findings, me.blind() != 0 ? me.blind() : Outside);
        touch<L, M>(words + at, me.record(), [&](typename L::Word before) {
            const unsigned last = L::has_blocks ? L::block_of(before) : block();
            detail::log(findings, array, IsShared, M, L::state_of(before), static_cast<unsigned>(line), at, last,
                        L::thread_of(before));
        });
    }

  private:
    template <class L, bool IsShared>
    BABYCUDA_DEVICE const Accessor<L>& accessor() const {
        if constexpr (IsShared) {
            return local;
        } else {
            return global;
        }
    }
    BABYCUDA_DEVICE static unsigned block() { return detail::block(); }
    BABYCUDA_DEVICE static unsigned index() { return detail::thread(); }
    BABYCUDA_DEVICE static void clear(typename S::Word* words, unsigned size) {
        // Where some threads have returned, each of the others clears all.
        const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
        const bool all = static_cast<unsigned>(__syncthreads_count(1)) == threads;
        for (unsigned i = all ? index() : 0; i < size; i += all ? threads : 1) words[i] = 0;
        __syncthreads();
    }

    Accessor<G> global;
    Accessor<S> local;
    Findings* findings;
    unsigned grid_barriers;
};

/// What a kernel gets of a monitor.
template <class G, class S>
struct Watched {
    template <class T>
    using Global = Array<G, T>;
    template <class T, unsigned Rows, unsigned Columns>
    using Shared = SharedArray<S, T, Rows, Columns>;

    Findings* findings;
    unsigned epoch, grid_barriers;

    BABYCUDA_DEVICE Thread<G, S> thread() const { return Thread<G, S>(findings, epoch, grid_barriers); }
};

/// In place of it: the plain kernel.
struct Off {
    template <class T>
    using Global = T*;
    template <class T, unsigned Rows, unsigned Columns>
    struct Shared {
        T data[Rows * Columns];
    };
    struct Thread {
        template <class T>
        BABYCUDA_DEVICE T* watch(T* array) const { return array; }
        template <class T, class W>
        BABYCUDA_DEVICE T* watch(T* data, W*, unsigned) const { return data; }
        template <class T, unsigned Rows, unsigned Columns>
        BABYCUDA_DEVICE auto watch(Shared<T, Rows, Columns>& array) const {
            if constexpr (Columns > 1) {
                return reinterpret_cast<T(*)[Columns]>(array.data);
            } else {
                return static_cast<T*>(array.data);
            }
        }
        BABYCUDA_DEVICE void syncthreads() const { __syncthreads(); }
        BABYCUDA_DEVICE int syncthreads_count(int predicate) const { return __syncthreads_count(predicate); }
        BABYCUDA_DEVICE int syncthreads_and(int predicate) const { return __syncthreads_and(predicate); }
        BABYCUDA_DEVICE int syncthreads_or(int predicate) const { return __syncthreads_or(predicate); }
        BABYCUDA_DEVICE void syncwarp(unsigned mask = 0xffffffff) const { __syncwarp(mask); }
        template <class Grid>
        BABYCUDA_DEVICE auto sync(Grid&& grid) const -> decltype(grid.is_valid(), void()) { grid.sync(); }
        BABYCUDA_DEVICE void pass_block() const {}
        BABYCUDA_DEVICE void pass_warp(bool) const {}
        BABYCUDA_DEVICE void pass_grid() const {}
    };
    BABYCUDA_DEVICE Thread thread() const { return Thread(); }
};

/// A global array that kernels of `M` take, and one of shared memory that they declare.
template <class M, class T>
using array = typename M::template Global<T>;
template <class M, class T, unsigned Rows, unsigned Columns = 1>
using shared = typename M::template Shared<T, Rows, Columns>;

}  // namespace babycuda

#ifndef __CUDACC_RTC__
#include "babycuda_monitor_host.h"
#endif
