// The cells of babycuda_monitor.cuh: `x[i]`, what it does to the word of the cell, and what is written of races.
#pragma once

#include "babycuda_monitor_word.h"

namespace babycuda {

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

template <class Owner, class L, class T, bool IsShared>
class Ref;

namespace detail {

template <class W>
BABYCUDA_DEVICE W compare_and_swap(W* word, W old, W next) {
#ifdef __CUDACC__
    // As one of the types that it has.
    if constexpr (sizeof(W) == 8) {
        return atomicCAS(reinterpret_cast<unsigned long long*>(word), old, next);
    } else {
        return atomicCAS(reinterpret_cast<unsigned*>(word), old, next);
    }
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
/// (From 2^32 - 1 on, that.)
BABYCUDA_DEVICE unsigned block() {
    const unsigned long long rows = static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y;
    const unsigned long long number = rows * gridDim.x + blockIdx.x;
    return number < 0xffffffff ? static_cast<unsigned>(number) : 0xffffffff;
}
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

}  // namespace detail

/// An index with the line on which it stands.
struct Index {
    long long at;
    int line;
    template <class I>
    BABYCUDA_DEVICE Index(const I& i, int where = __builtin_LINE())
        : at(static_cast<long long>(detail::value(i))), line(where) {}
};

/// HiRace's Algorithm 1: the word takes the step of an access. If that is the cell's first race, `found` gets the word
/// before.
template <class L, Mode M, class Found>
BABYCUDA_DEVICE void touch(typename L::Word* word, typename L::Word own, const Found& found) {
    using Word = typename L::Word;
    Word old = *static_cast<volatile Word*>(word);
    for (;;) {
        unsigned next;
        if (L::is_past(old, own)) {
            next = L::template after_past<M>(old);
        } else if (L::template is_kept<M>(old, own)) {
            return;
        } else {
            next = L::template after<M>(old, own);
        }
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
    BABYCUDA_DEVICE Value operator=(const V& value) const {
        const Value now = static_cast<Value>(detail::value(value));
        *reach<Write>() = now;
        return now;
    }
    BABYCUDA_DEVICE Value operator=(const Ref& other) const { return *this = other.read(); }
    BABYCUDA_DEVICE Value operator++() const { return ++*reach<Update>(); }
    BABYCUDA_DEVICE Value operator--() const { return --*reach<Update>(); }
    BABYCUDA_DEVICE Value operator++(int) const { return (*reach<Update>())++; }
    BABYCUDA_DEVICE Value operator--(int) const { return (*reach<Update>())--; }
#define BABYCUDA_ASSIGN(op)                                   \
    template <class V>                                        \
    BABYCUDA_DEVICE Value operator op(const V& value) const { \
        const auto now = detail::value(value);                \
        return *reach<Update>() op now;                       \
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
        return name(at.cell.template reach<mode>(), static_cast<T>(detail::value(values))...); \
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

}  // namespace babycuda
