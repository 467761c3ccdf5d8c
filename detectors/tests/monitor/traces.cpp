// Steps of the monitor, as a trace says. Reads lines:
//
//     new LAYOUT SPACE CELLS BLOCKS WARPS LANES    a fresh grid; warps have up to 32 lanes
//     a CELL BLOCK THREAD MODE                     an access
//     w BLOCK WARP, b BLOCK, g                     barriers: of a warp, a block, the grid
//     p BLOCK WARP LANES                           a barrier of the lanes of a mask
//     end                                          prints the flags: `flags N`
//
// and prints each race when it is found: `EVENT BLOCK THREAD LAST-BLOCK LAST-THREAD LEVEL LINE`, the level being that
// of the group in which the last thread may be another one.
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>

#include "cuda.h"

#include "../../../include/babycuda_monitor.cuh"

using namespace babycuda;

/// A grid in which a trace goes on.
struct Grid {
    virtual ~Grid() = default;
    virtual void event(std::istringstream& line, const std::string& kind, int number) = 0;
};

template <class G, class S, bool IsShared>
struct GridOf : Grid {
    using L = std::conditional_t<IsShared, S, G>;
    using T = Thread<G, S>;
    unsigned warps, lanes;
    std::vector<typename L::Word> words;
    std::vector<int> data;
    std::vector<Race> log;
    Findings findings;
    /// By block and warp.
    std::vector<std::vector<std::unique_ptr<T>>> threads;

    GridOf(unsigned cells, unsigned blocks, unsigned warps, unsigned lanes)
        : warps(warps), lanes(lanes), words(cells, 0), data(cells), log(10000), findings{0, 0, 10000, log.data()} {
        gridDim = {blocks}, blockDim = {warps * 32};
        for (unsigned warp = 0; warp < blocks * warps; ++warp) {
            threads.emplace_back();
            for (unsigned lane = 0; lane < lanes; ++lane) {
                become(warp / warps, warp % warps * 32 + lane);
                threads.back().push_back(std::make_unique<T>(&findings, 1u, G::most_epochs - 1));
            }
        }
    }
    static void become(unsigned block, unsigned thread) {
        blockIdx = {block, 0, 0}, threadIdx = {thread, 0, 0};
    }
    void event(std::istringstream& line, const std::string& kind, int number) override {
        unsigned block = 0, other = 0, mask = 0;
        if (kind == "a") {
            unsigned cell, thread, mode;
            line >> cell >> block >> thread >> mode;
            become(block, thread);
            T& t = *threads[block * warps + thread / 32][thread % 32];
            const unsigned long long before = findings.races;
            const auto size = static_cast<typename detail::Size<IsShared>::type>(words.size());
            Cells<T, L, int, IsShared> cells{&t, data.data(), words.data(), size, 0};
            const auto ref = cells[Index(cell, number)];
            switch (mode) {
                case Read: ref.template reach<Read>(); break;
                case Write: ref.template reach<Write>(); break;
                case BlockAtomic: ref.template reach<BlockAtomic>(); break;
                case DeviceAtomic: ref.template reach<DeviceAtomic>(); break;
                default: ref.template reach<Update>();
            }
            if (findings.races > before) {
                const Race& race = log[before];
                std::printf("%d %u %u %u %u %d %u\n", number, race.block, race.thread, race.last_block,
                            race.last_thread, race.before >> 3, race.line);
            }
        } else if (kind == "w" || kind == "p") {
            line >> block >> other;
            if (kind == "p") line >> mask;
            unsigned lane = 0;
            for (auto& t : threads[block * warps + other]) {
                if (kind == "w") t->pass_warp(true);
                if (mask >> lane++ & 1) t->pass_warp(false);
            }
        } else if (kind == "b") {
            line >> block;
            for (unsigned warp = 0; warp < warps; ++warp) {
                for (auto& t : threads[block * warps + warp]) t->pass_block();
            }
        } else if (kind == "g") {
            for (auto& warp : threads) {
                for (auto& t : warp) t->pass_grid();
            }
        } else {
            std::printf("flags %u\n", findings.flags);
        }
    }
};

template <class G, class S>
std::unique_ptr<Grid> make(bool is_shared, unsigned cells, unsigned blocks, unsigned warps, unsigned lanes) {
    if (is_shared) return std::make_unique<GridOf<G, S, true>>(cells, blocks, warps, lanes);
    return std::make_unique<GridOf<G, S, false>>(cells, blocks, warps, lanes);
}

int main() {
    std::unique_ptr<Grid> grid;
    std::string text, kind;
    for (int number = 0; std::getline(std::cin, text); ++number) {
        std::istringstream line(text);
        line >> kind;
        if (kind == "new") {
            unsigned layout, is_shared, cells, blocks, warps, lanes;
            line >> layout >> is_shared >> cells >> blocks >> warps >> lanes;
            number = -1;
            if (layout == 0) grid = make<GlobalWords, SharedWords>(is_shared, cells, blocks, warps, lanes);
            // Others with room enough: fields that begin elsewhere, and words of the other size.
            if (layout == 1) {
                grid = make<Layout<unsigned long long, 6, 3, 24, 16>, Layout<unsigned long long, 0, 0, 31, 18>>(
                    is_shared, cells, blocks, warps, lanes);
            }
            if (layout == 2) {
                grid = make<Layout<unsigned, 5, 2, 5, 5>, Layout<unsigned, 0, 0, 9, 8>>(is_shared, cells, blocks, warps,
                                                                        lanes);
            }
            // Too few bits.
            if (layout == 3) {
                grid = make<Layout<unsigned long long, 1, 1, 1, 1>, Layout<unsigned, 0, 0, 1, 1>>(is_shared, cells,
                                                                                               blocks, warps, lanes);
            }
            if (layout == 4) {
                grid = make<Layout<unsigned long long, 1, 1, 0, 0>, Layout<unsigned, 0, 0, 0, 0>>(is_shared, cells,
                                                                                               blocks, warps, lanes);
            }
        } else {
            grid->event(line, kind, number);
        }
    }
}
