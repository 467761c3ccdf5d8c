// Watches a CUDA C++ kernel for data races while it runs: a word for each cell of the watched arrays, with HiRace's
// state machine as babycuda derives it. docs/MONITOR.md says how to use it, what it finds and what it does not.
//
//     template <class M>
//     __global__ void neighbours(M monitor, babycuda::array<M, const float> in_, babycuda::array<M, float> out_) {
//         auto t = monitor.thread();
//         __shared__ babycuda::shared<M, float, 256> tile_;
//         auto in = t.watch(in_), out = t.watch(out_), tile = t.watch(tile_);
//         ...
//         tile[threadIdx.x] = in[i];
//         t.syncthreads();
//         atomicAdd(&out[0], tile[255 - threadIdx.x]);
//     }
//
// With `babycuda::Off` for M it is the plain kernel, and with what `babycuda::Monitor<>::launch` gives the watched one.
#pragma once

#include "babycuda_monitor_word.h"

namespace babycuda {

/// How lanes that read one cell of shared memory at once become one access: 0 not at all, 1 neighbours,
/// 2 all.
#ifndef BABYCUDA_MONITOR_ELECT
#define BABYCUDA_MONITOR_ELECT 1
#endif

/// A race that was found.
struct Race {
    /// The number of the watched global array; of shared memory the line on which it is watched.
    unsigned array;
    /// Whether it is of shared memory.
    bool is_shared;
    /// The mode of the second access, and the state that the accesses before had left (`table::kNames`).
    unsigned char mode, before;
    /// The line of the second access.
    unsigned line;
    unsigned long long index;
    /// The block and thread (both linear) of the second access.
    unsigned block, thread;
    /// Of the last access before; or of another thread of its warp, or its block, that accessed it in the same way.
    /// The race may be with an access before that: a word knows no other.
    unsigned last_block, last_thread;
};

/// What all threads write to.
struct Findings {
    /// How many races there are; the log has the first ones.
    unsigned long long races;
    unsigned flags, capacity;
    Race* log;
};

/// An index with the line on which it stands.
struct Index {
    long long at;
    int line;
    template <class I>
    BABYCUDA_DEVICE Index(I i, int where = __builtin_LINE()) : at(static_cast<long long>(i)), line(where) {}
};

template <class Owner, class L, class T, bool IsShared>
class Ref;

namespace detail {

template <class W>
BABYCUDA_DEVICE W compare_and_swap(W* word, W old, W next) {
#ifdef __CUDACC__
    return atomicCAS(word, old, next);
#else
    __atomic_compare_exchange_n(word, &old, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return old;
#endif
}

#ifdef __CUDACC__
#define BABYCUDA_COLD static __device__ __noinline__
#else
#define BABYCUDA_COLD inline
#endif

BABYCUDA_COLD void note(Findings* findings, unsigned flags) {
    if ((*static_cast<volatile unsigned*>(&findings->flags) & flags) != flags) atomicOr(&findings->flags, flags);
}

/// Of the grid, and of the block: the linear number.
BABYCUDA_DEVICE unsigned block() { return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }
BABYCUDA_DEVICE unsigned thread() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }

BABYCUDA_COLD void log(Findings* findings, unsigned array, bool is_shared, unsigned mode, unsigned before,
                       unsigned line, unsigned long long index, unsigned last_block, unsigned last_thread) {
    const unsigned long long place = atomicAdd(&findings->races, 1ULL);
    if (place >= findings->capacity) return;
    findings->log[place] = Race{array,  is_shared, static_cast<unsigned char>(mode), static_cast<unsigned char>(before),
                                line,   index,     block(), thread(), last_block, last_thread};
}

/// What counts cells: shared memory has less than 2^32.
template <bool IsShared>
struct Size {
    using type = unsigned long long;
};
template <>
struct Size<true> {
    using type = unsigned;
};

/// A type without `const`, and what a proxy or a value is.
template <class T>
struct Plain {
    using type = T;
};
template <class T>
struct Plain<const T> {
    using type = T;
};
template <class V>
BABYCUDA_DEVICE V value(const V& value) {
    return value;
}
template <class Owner, class L, class T, bool IsShared>
BABYCUDA_DEVICE typename Plain<T>::type value(const Ref<Owner, L, T, IsShared>& cell) {
    return cell.read();
}

/// Of the lanes that came here with one word, does this one speak for them? And are they several?
template <class W>
BABYCUDA_DEVICE bool speaks(W* word, bool& several) {
    several = false;
#if defined(__CUDACC__) && BABYCUDA_MONITOR_ELECT == 1
    const unsigned lanes = __activemask(), key = static_cast<unsigned>(reinterpret_cast<unsigned long long>(word));
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    const bool up = __shfl_up_sync(lanes, key, 1) == key && lane > 0 && (lanes >> (lane - 1) & 1);
    several = __shfl_down_sync(lanes, key, 1) == key && lane < 31 && (lanes >> (lane + 1) & 1);
    return !up;
#elif defined(__CUDACC__) && BABYCUDA_MONITOR_ELECT == 2
    const unsigned key = static_cast<unsigned>(reinterpret_cast<unsigned long long>(word));
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    const unsigned peers = __match_any_sync(__activemask(), key);
    several = (peers & (peers - 1)) != 0;
    return static_cast<unsigned>(__ffs(static_cast<int>(peers))) == lane + 1;
#else
    (void)word;
    return true;
#endif
}

}  // namespace detail

/// HiRace's Algorithm 1: the word takes the step of an access. If that is the cell's first race, `found` gets the word
/// before. With `Peers`, lanes that read the cell at once are as one.
template <class L, Mode M, bool Peers, class Found>
BABYCUDA_DEVICE void touch(typename L::Word* word, typename L::Word own, const Found& found) {
    using Word = typename L::Word;
    Word old = *static_cast<volatile Word*>(word);
    bool elected = !Peers || M != Read, several = false;
    for (;;) {
        unsigned next;
        if (L::is_past(old, own)) {
            next = L::template after_past<M>(old);
        } else if (L::template is_kept<M>(old, own)) {
            return;
        } else {
            next = L::template after<M>(old, own);
        }
        if (!elected) {
            if (!detail::speaks(word, several)) return;
            elected = true;
        }
        if (several) next = L::template after_peer<M>(next);
        const Word seen = detail::compare_and_swap(word, old, L::with(own, next));
        if (seen == old) {
            if (next == table::kRace && L::state_of(old) != table::kRace) found(old);
            return;
        }
        old = seen;
    }
}

template <class Owner, class L, class T, bool IsShared>
class Pointer;

/// A cell, as `x[i]` gives it: reads, writes and compound assignments are accesses of it. Give what is read a type:
/// `float v = x[i]`, not `auto v`.
template <class Owner, class L, class T, bool IsShared>
class Ref {
  public:
    using Value = typename detail::Plain<T>::type;
    using Size = typename detail::Size<IsShared>::type;

    BABYCUDA_DEVICE Ref(Owner* owner, T* cell, typename L::Word* words, Size size, Size at, unsigned array, int line)
        : owner(owner), cell(cell), words(words), size(size), at(at), array(array), line(line) {}
    Ref(const Ref&) = default;

    BABYCUDA_DEVICE Value read() const {
        // The word is looked at while the value comes.
        const Value now = *cell;
        return reach<Read>(), now;
    }
    BABYCUDA_DEVICE operator Value() const&& { return read(); }
    template <class V>
    BABYCUDA_DEVICE const Ref& operator=(const V& value) const {
        const Value now = static_cast<Value>(detail::value(value));
        *reach<Write>() = now;
        return *this;
    }
    BABYCUDA_DEVICE const Ref& operator=(const Ref& other) const { return *this = other.read(); }
    BABYCUDA_DEVICE const Ref& operator++() const { return ++*reach<Update>(), *this; }
    BABYCUDA_DEVICE const Ref& operator--() const { return --*reach<Update>(), *this; }
    BABYCUDA_DEVICE Value operator++(int) const { return (*reach<Update>())++; }
    BABYCUDA_DEVICE Value operator--(int) const { return (*reach<Update>())--; }
#define BABYCUDA_ASSIGN(op)                                        \
    template <class V>                                             \
    BABYCUDA_DEVICE const Ref& operator op(const V& value) const { \
        const auto now = detail::value(value);                     \
        *reach<Update>() op now;                                   \
        return *this;                                              \
    }
    BABYCUDA_ASSIGN(+=)
    BABYCUDA_ASSIGN(-=)
    BABYCUDA_ASSIGN(*=)
    BABYCUDA_ASSIGN(/=)
    BABYCUDA_ASSIGN(%=)
    BABYCUDA_ASSIGN(&=)
    BABYCUDA_ASSIGN(|=)
    BABYCUDA_ASSIGN(^=)
    BABYCUDA_ASSIGN(<<=)
    BABYCUDA_ASSIGN(>>=)
#undef BABYCUDA_ASSIGN

    /// For atomics: `atomicAdd(&x[i], 1)`.
    BABYCUDA_DEVICE Pointer<Owner, L, T, IsShared> operator&() const { return {*this}; }

    /// The cell, once the access is known.
    template <Mode M>
    BABYCUDA_DEVICE T* reach() const {
        owner->template access<L, M, IsShared>(words, size, at, array, line);
        return cell;
    }

  private:
    Owner* owner;
    T* cell;
    typename L::Word* words;
    Size size, at;
    unsigned array;
    int line;
};

/// The address of a cell, which atomics take.
template <class Owner, class L, class T, bool IsShared>
class Pointer {
  public:
    Ref<Owner, L, T, IsShared> cell;
};

#define BABYCUDA_ATOMIC_SCOPED(name, mode)                                       \
    template <class Owner, class L, class T, bool S, class... V>                 \
    BABYCUDA_DEVICE T name(Pointer<Owner, L, T, S> at, V... values) {            \
        using ::name;                                                            \
        return name(at.cell.template reach<mode>(), static_cast<T>(values)...);  \
    }
/// Each with the scope of the device, of the block, and of the system, which is as one of the device.
#define BABYCUDA_ATOMIC(name)                         \
    BABYCUDA_ATOMIC_SCOPED(name, DeviceAtomic)        \
    BABYCUDA_ATOMIC_SCOPED(name##_block, BlockAtomic) \
    BABYCUDA_ATOMIC_SCOPED(name##_system, DeviceAtomic)
BABYCUDA_ATOMIC(atomicAdd)
BABYCUDA_ATOMIC(atomicSub)
BABYCUDA_ATOMIC(atomicExch)
BABYCUDA_ATOMIC(atomicMin)
BABYCUDA_ATOMIC(atomicMax)
BABYCUDA_ATOMIC(atomicInc)
BABYCUDA_ATOMIC(atomicDec)
BABYCUDA_ATOMIC(atomicCAS)
BABYCUDA_ATOMIC(atomicAnd)
BABYCUDA_ATOMIC(atomicOr)
BABYCUDA_ATOMIC(atomicXor)
#undef BABYCUDA_ATOMIC
#undef BABYCUDA_ATOMIC_SCOPED

/// A watched array in a kernel: `x[i]`, or `x[y][x]` where it has rows of more than one cell.
template <class Owner, class L, class T, bool IsShared, unsigned Columns = 1>
class Cells {
  public:
    using Size = typename detail::Size<IsShared>::type;
    using Cell = Ref<Owner, L, T, IsShared>;

    Owner* owner;
    T* data;
    typename L::Word* words;
    Size size;
    unsigned array;

    struct Row {
        const Cells& cells;
        Size first;
        BABYCUDA_DEVICE Cell operator[](Index i) const { return cells.at(first + static_cast<Size>(i.at), i.line); }
    };
    BABYCUDA_DEVICE auto operator[](Index i) const {
        if constexpr (Columns > 1) {
            return Row{*this, static_cast<Size>(i.at) * Columns};
        } else {
            return at(static_cast<Size>(i.at), i.line);
        }
    }
    BABYCUDA_DEVICE Cell at(Size i, int line) const { return Cell(owner, data + i, words, size, i, array, line); }
};

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
    template <class Grid>
    BABYCUDA_DEVICE void sync(Grid&& grid) {
        grid.sync();
        pass_grid();
    }

    /// What a barrier changes: for code that waits in another way.
    BABYCUDA_DEVICE void pass_block() { global.pass_block(), local.pass_block(); }
    BABYCUDA_DEVICE void pass_warp(bool whole) {
        if (!whole) {
            global.blind |= PartialWarp, local.blind |= PartialWarp;
        } else {
            global.pass_warp(), local.pass_warp();
        }
    }
    BABYCUDA_DEVICE void pass_grid() {
        global.pass_grid(grid_barriers == 0), local.pass_grid(grid_barriers == 0);
        if (grid_barriers > 0) --grid_barriers;
    }

    /// An access of a cell.
    template <class L, Mode M, bool IsShared>
    BABYCUDA_DEVICE void access(typename L::Word* words, typename detail::Size<IsShared>::type size,
                                typename detail::Size<IsShared>::type at, unsigned array, int line) {
        const Accessor<L>& me = accessor<L, IsShared>();
        if (me.blind != 0 || at >= size) return detail::note(findings, me.blind != 0 ? me.blind : Outside);
        touch<L, M, IsShared>(words + at, me.own, [&](typename L::Word before) {
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
        const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
        for (unsigned i = index(); i < size; i += threads) words[i] = 0;
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
        BABYCUDA_DEVICE void sync(Grid&& grid) const { grid.sync(); }
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
