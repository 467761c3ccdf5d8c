// The words of babycuda_monitor.cuh: what is known of a cell, and the step that an access makes (docs/MONITOR.md).
#pragma once

#ifdef __CUDACC__
#define BABYCUDA_DEVICE __device__ __forceinline__
#define BABYCUDA_HOST __host__ __device__ __forceinline__
#define BABYCUDA_CONSTANT static __constant__ const
#else
#define BABYCUDA_DEVICE inline
#define BABYCUDA_HOST inline
#define BABYCUDA_CONSTANT static const
#endif

#include "babycuda_monitor_table.h"

namespace babycuda {

/// How a cell is accessed. `Update` reads and writes it, not atomically.
enum Mode { Read = 0, Write = 1, BlockAtomic = 2, DeviceAtomic = 3, Update = 4 };

namespace detail {

/// The byte of that number, below 4; the lowest byte is 0.
BABYCUDA_DEVICE unsigned byte_of(unsigned bytes, unsigned number) {
#ifdef __CUDACC__
    return __byte_perm(bytes, 0, number);
#else
    return bytes >> number * 8 & 255;
#endif
}

}  // namespace detail

/// What a word has, from its lowest bit: the lane of the last accessor, the barriers of its warp since the last of
/// its block, its warp, the barriers of its block since the last of the grid, its block, the barriers of the grid
/// (and kernels before), and on top the state. So the highest bit that differs between two records tells the
/// narrowest group of both threads, and whether a barrier of that group lies between.
template <class W, unsigned EpochBits, unsigned BlockBits, unsigned BlockClockBits, unsigned WarpClockBits>
struct Layout {
    using Word = W;
    static constexpr Word one = 1;
    static constexpr unsigned warp_clock = 5, warp = warp_clock + WarpClockBits, block_clock = warp + 5;
    static constexpr unsigned block = block_clock + BlockClockBits, epoch = block + BlockBits;
    static constexpr unsigned state = 8 * sizeof(Word) - 5;
    static_assert(5 + EpochBits + BlockBits + BlockClockBits + WarpClockBits + 10 <= 8 * sizeof(Word),
                  "state, epoch, block, thread (10 bits) and clocks do not fit into a word");
    static_assert(sizeof(Word) == 4 || sizeof(Word) == 8, "words have 32 or 64 bits");
    static_assert(static_cast<Word>(-1) > 0, "words are unsigned");
    static_assert(EpochBits < 32 && BlockBits < 32 && BlockClockBits < 32 && WarpClockBits < 32, "too many bits");

    static constexpr Word below = (one << state) - 1;
    static constexpr unsigned most_epochs = (1u << EpochBits) - 1, most_blocks = (1u << BlockBits) - 1;
    static constexpr unsigned most_block_clock = (1u << BlockClockBits) - 1;
    static constexpr Word block_clocks = (one << block) - (one << block_clock);
    static constexpr Word warp_clocks = (one << warp) - (one << warp_clock);
    static constexpr bool has_epochs = EpochBits > 0, has_blocks = BlockBits > 0;
    static constexpr Word past = has_epochs ? below - ((one << epoch) - 1) : below - ((one << block_clock) - 1);
    /// How much of a record does not matter, by the level of the state, a byte each.
    static constexpr unsigned drops = 5u << 8 | block_clock << 16 | epoch << 24;

    static BABYCUDA_DEVICE unsigned state_of(Word word) { return static_cast<unsigned>(word >> state); }
    static BABYCUDA_DEVICE unsigned thread_of(Word word) {
        return static_cast<unsigned>(word >> warp & 31) << 5 | static_cast<unsigned>(word & 31);
    }
    static BABYCUDA_DEVICE unsigned block_of(Word word) {
        return static_cast<unsigned>(word >> block & most_blocks);
    }
    static BABYCUDA_DEVICE Word with(Word record, unsigned next) { return record | static_cast<Word>(next) << state; }

    /// Is all that is known of the cell behind a barrier that every thread passed that can have accessed it: of the
    /// grid, or, where words are of one block, of the block? (So is a word of zeros: clocks begin at 1.)
    static BABYCUDA_DEVICE bool is_past(Word old, Word own) { return ((old ^ own) & past) != 0; }

    /// The state after an access of such a cell.
    template <Mode M>
    static BABYCUDA_DEVICE unsigned after_past(Word old) {
        constexpr unsigned first = table::kFirst[M];
        return has_epochs ? first : table::kNext[M * 256 + state_of(old) * 8 + 4];
    }

    /// Would the access leave the cell as it is, or make it one of which as much is known?
    template <Mode M>
    static BABYCUDA_DEVICE bool is_kept(Word old, Word own) {
        // The bit of the states that reads leave is compared together with the record.
        constexpr Word reads = one << (state + 2);
        constexpr unsigned states = table::kKept[M];
        const unsigned known = state_of(old);
        const Word differs = M == Read ? (old ^ (own | reads)) & (below | reads) : (old ^ own) & below;
        return (M == Read || (states >> known & 1)) && differs >> detail::byte_of(drops, known >> 3) == 0;
    }

    /// What differs of the last accessor: 0 nothing, 1 the lane, 2 the warp's clock, 3 the warp, 4 the block's
    /// clock, 5 the block.
    static BABYCUDA_DEVICE unsigned difference(Word differs) {
        if constexpr (block <= 32 && block_clock < 32 && sizeof(Word) == 8) {
            const bool blocks = differs >> block != 0;
            const unsigned low = blocks ? ~0u : static_cast<unsigned>(differs);
            return (low != 0) + (low >> warp_clock != 0) + (low >> warp != 0) + (low >> block_clock != 0) + blocks;
        } else {
            return (differs != 0) + (differs >> warp_clock != 0) + (differs >> warp != 0) +
                   (differs >> block_clock != 0) + (has_blocks && differs >> block != 0);
        }
    }

    /// The state after any other access.
    template <Mode M>
    static BABYCUDA_DEVICE unsigned after(Word old, Word own) {
        return table::kNext[M * 256 + state_of(old) * 8 + difference((old ^ own) & below)];
    }
};

/// Words of global memory: 127 kernels or barriers of the grid until the words are cleared, 2^20 blocks, 16383
/// barriers of a block in a kernel, and 255 of a warp between two of its block.
using GlobalWords = Layout<unsigned long long, 7, 20, 14, 8>;
/// Words of shared memory: 2046 barriers of a block in a kernel, and 63 of a warp between two of its block.
using SharedWords = Layout<unsigned, 0, 0, 11, 6>;

/// Why a report may lack races.
enum Flag : unsigned {
    /// A clock of a block or the grid counts no further.
    ClockOverflow = 1,
    /// More blocks than a word can tell apart.
    BlockOverflow = 2,
    /// Lanes that are not all of their warp passed a barrier of the warp.
    PartialWarp = 4,
    /// A clock of a warp counts no further.
    WarpClockOverflow = 8,
    /// An access beyond the end of a watched array.
    Outside = 16,
};

/// A thread, as the words of a layout know it.
template <class L>
class Accessor {
  public:
    using Word = typename L::Word;

    BABYCUDA_DEVICE Accessor(unsigned epoch, unsigned block, unsigned thread) {
        own = static_cast<Word>(thread >> 5) << L::warp | (thread & 31);
        if constexpr (L::has_epochs) {
            own |= static_cast<Word>(epoch) << L::epoch;
        } else if constexpr (L::most_block_clock > 0) {
            own |= L::one << L::block_clock;
        }
        if constexpr (L::has_blocks) {
            own |= static_cast<Word>(block & L::most_blocks) << L::block;
            if (block > L::most_blocks) own |= BlockOverflow * (L::one << L::state);
        }
    }

    /// What a word of it has below the state.
    BABYCUDA_DEVICE Word record() const { return own; }
    /// Flags: why it is not watched for now.
    BABYCUDA_DEVICE unsigned blind() const { return L::state_of(own) | of_warp; }

    /// It passes a barrier of its block: those of its warp count anew.
    BABYCUDA_DEVICE void pass_block() {
        of_warp = 0;
        const Word next = own + (L::one << L::block_clock);
        const bool is_full = (next ^ own) >> L::block != 0;
        own = is_full ? own | ClockOverflow * (L::one << L::state) : next & ~L::warp_clocks;
    }

    /// It passes a barrier of its warp: a whole one, or one of some lanes.
    BABYCUDA_DEVICE void pass_warp(bool whole) {
        const bool is_full = (own & L::warp_clocks) == L::warp_clocks;
        if (whole && !is_full) own += L::one << L::warp_clock;
        of_warp = !whole ? of_warp | PartialWarp : is_full * WarpClockOverflow;
    }

    /// It passes a barrier of the grid, behind which there is no epoch for it if `last`. What is of one block sees one
    /// of the block.
    BABYCUDA_DEVICE void pass_grid(bool last) {
        if constexpr (!L::has_epochs) {
            pass_block();
        } else {
            constexpr Word full = ClockOverflow * (L::one << L::state);
            of_warp = 0;
            own = last ? own | full : ((own & ~full) + (L::one << L::epoch)) & ~L::block_clocks & ~L::warp_clocks;
        }
    }

  private:
    /// The record, and where a word has its state the flags that last: `ClockOverflow` and `BlockOverflow`.
    Word own;
    /// The flags that a barrier of the block ends.
    unsigned of_warp = 0;
};

}  // namespace babycuda
