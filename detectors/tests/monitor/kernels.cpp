// The kernels of benches/monitor, and one that uses all of the monitor, on the host. Prints a line for each:
// `NAME RACES FLAGS right|wrong`, the last for whether it computes what the plain kernel does.
#include <algorithm>
#include <cstdio>

#include "cuda.h"

#include "../../../benches/monitor/kernels.cuh"

using Watch = babycuda::Monitor<>;

template <class K, bool Racy>
void check(unsigned blocks, unsigned side) {
    const unsigned threads = blocks * K::block_x * K::block_y;
    std::vector<typename K::Value> in(threads * K::reads_per_thread), plain(threads * K::writes_per_thread), out(plain);
    for (size_t i = 0; i < in.size(); ++i) in[i] = typename K::Value(i * 7 % 64);
    const dim3 grid = {blocks, 1, 1}, block = {K::block_x, K::block_y, 1};
    Watch monitor;
    const auto watched_in = monitor.watch(in.data(), in.size(), "in");
    const auto watched_out = monitor.watch(out.data(), out.size(), "out");
    const auto launch = monitor.launch();
    run_grid(grid, block, [&] { kernel<K, Watch::Launch, Racy>(launch, watched_in, watched_out, side); });
    // A race may be one on the host, too.
    if (!Racy) run_grid(grid, block, [&] { kernel<K, babycuda::Off, Racy>({}, in.data(), plain.data(), side); });
    const babycuda::Report report = monitor.report();
    std::printf("%s%s %llu %u %s\n", K::name, Racy ? " racy" : "", report.races, report.flags,
                Racy || plain == out ? "right" : "wrong");
}

template <class K>
void check_both(unsigned blocks, unsigned side) {
    check<K, false>(blocks, side);
    check<K, true>(blocks, side);
}

struct Grid {
    void sync() {}
    bool is_valid() { return true; }
};

/// Each thread has cells of its own: `x` of eight, and of shared memory.
template <class M>
void everything(M monitor, babycuda::array<M, int> x_, babycuda::array<M, const int> y_, int* dynamic,
                unsigned* words) {
    auto t = monitor.thread();
    __shared__ babycuda::shared<M, int, 64, 3> rows_;
    auto x = t.watch(x_);
    auto y = t.watch(y_);
    auto rows = t.watch(rows_);
    auto list = t.watch(dynamic, words, 64);
    const int i = threadIdx.x, first = i * 8;
    x[first] = y[i] + y[63 - i];
    x[first + 1] = x[first];
    x[first + 1] += x[first];
    x[first + 1] -= 1;
    x[first + 2] = y[i];
    const int before = x[first + 2]++;
    ++x[first + 2];
    x[first + 3] = before;
    x[first + 3] <<= 2;
    rows[i][0] = i;
    rows[i][2] = rows[i][0];
    list[i] = rows[i][2];
    t.syncthreads();
    x[first + 4] = list[63 - i] + rows[63 - i][2] + t.syncthreads_count(i < 5) + t.syncthreads_and(i < 64) +
                   t.syncthreads_or(i > 64);
    atomicAdd(&x[5], 1);
    atomicMax_block(&list[0], 3);
    t.syncwarp();
    atomicCAS(&x[first + 6], 0, 5);
    t.sync(Grid());
    x[first + 7] = list[(i + 1) % 64];
}

int main() {
    check_both<Stencil>(3, 1);
    check_both<Reduction>(3, 1);
    check_both<WarpScan>(2, 1);
    check_both<Transpose>(4, 64);
    check_both<Histogram>(3, 1);
    check_both<Matmul>(4, 32);

    Watch monitor(8);
    std::vector<int> x(64 * 8), y(64), dynamic(64);
    std::vector<unsigned> words(64);
    for (int i = 0; i < 64; ++i) y[i] = i * i;
    const auto watched_x = monitor.watch(x.data(), x.size(), "x");
    const auto watched_y = monitor.watch(y.data(), y.size(), "y");
    const dim3 one = {1, 1, 1}, block = {64, 1, 1};
    const auto launch = monitor.launch(1);
    run_grid(one, block, [&] { everything<Watch::Launch>(launch, watched_x, watched_y, dynamic.data(), words.data()); });
    bool right = true;
    for (int i = 0; i < 64; ++i) {
        const int j = 63 - i, sum = i * i + j * j;
        const int expected[] = {sum, 2 * sum - 1, i * i + 2, i * i * 4, j + j + 5 + 1, i == 0 ? 64 : x[i * 8 + 5], 5,
                                (i + 1) % 64 == 0 ? 3 : (i + 1) % 64};
        for (int k = 0; k < 8; ++k) right = right && x[i * 8 + k] == expected[k];
    }
    std::printf("everything %llu %u %s\n", monitor.report().races, monitor.report().flags, right ? "right" : "wrong");

    // A barrier more than the launch allows for; one of some lanes; an index beyond the end.
    run_grid(one, block, [&] {
        auto t = launch.thread();
        auto all = t.watch(watched_x);
        t.sync(Grid());
        t.sync(Grid());
        all[0] = 1;
    });
    std::printf("grid %llu %u right\n", monitor.report().races, monitor.report().flags);
    monitor.clear();
    const auto second = monitor.launch();
    run_grid(one, block, [&] {
        auto t = second.thread();
        auto all = t.watch(watched_x);
        if (threadIdx.x > 1) return;
        if (threadIdx.x == 0) all[0] = 1;
        t.syncwarp(3);
        all[0] = static_cast<int>(threadIdx.x);
    });
    std::printf("lanes %llu %u right\n", monitor.report().races, monitor.report().flags);
    monitor.clear();
    const auto third = monitor.launch();
    std::vector<int> beyond(1000);
    run_grid(one, block, [&] {
        auto t = third.thread();
        auto all = t.watch(babycuda::Array<babycuda::GlobalWords, int>{beyond.data(), watched_x.words, 100, 0});
        all[100 + threadIdx.x / 2] = 1;
    });
    std::printf("outside %llu %u right\n", monitor.report().races, monitor.report().flags);
    // Indices that are cells, values of assignments, and one array by two names, of which each thread but the first
    // stores what a cell of its neighbour holds.
    monitor.clear();
    std::vector<int> place(64), taken(64);
    for (int i = 0; i < 64; ++i) place[i] = 63 - i;
    const auto places = monitor.watch(place.data(), place.size(), "places");
    const auto same = monitor.watch(place.data(), place.size(), "same");
    const auto cells = monitor.watch(taken.data(), taken.size(), "taken");
    const auto fourth = monitor.launch();
    run_grid(one, block, [&] {
        auto t = fourth.thread();
        auto p = t.watch(places), q = t.watch(same), c = t.watch(cells);
        const int i = static_cast<int>(threadIdx.x), stored = c[p[i]] = 5;
        if (++c[p[i]] == 6 && (c[p[i]] += stored) == 11) c[p[i]] = c[p[i]] + 1;
        if (i > 0) q[i - 1] = 64 - i;
    });
    right = std::all_of(taken.begin(), taken.end(), [](int cell) { return cell == 12; });
    std::printf("gather %llu %u %s\n", monitor.report().races, monitor.report().flags, right ? "right" : "wrong");
    const char* refused = "wrong";
    try {
        monitor.watch(place.data() + 1, 3, "part");
    } catch (const std::runtime_error&) {
        refused = "right";
    }
    std::printf("overlap 0 0 %s\n", refused);
    // More launches than there are epochs; a race is counted once in each, and the log has the first ones.
    monitor.clear();
    for (int i = 0; i < 300; ++i) {
        const auto next = monitor.launch();
        run_grid(one, {2, 1, 1}, [&] {
            auto t = next.thread();
            auto all = t.watch(watched_x);
            all[7] = 1;
            all[8 + threadIdx.x] = 1;
        });
    }
    babycuda::Report report = monitor.report();
    std::printf("launches %llu %u %s\n", report.races, report.flags, report.log.size() == 8 ? "right" : "wrong");
    report.log.resize(1);
    report.print();
}
