// Times kernels plain and watched, and counts the races that are found: see `run` beside this file.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "kernels.cuh"

using Watch = babycuda::Monitor<>;

static void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
    std::exit(2);
}

static float median(std::vector<float> times) {
    std::sort(times.begin(), times.end());
    return (times[times.size() / 2] + times[(times.size() - 1) / 2]) / 2;
}

/// A kernel with its memory, for so many threads.
template <class K>
struct Case {
    using Value = typename K::Value;
    unsigned threads, side = 1;
    size_t reads, writes;
    Value *in = nullptr, *out = nullptr;

    explicit Case(unsigned threads)
        : threads(threads), reads(size_t(threads) * K::reads_per_thread),
          writes(size_t(threads) * K::writes_per_thread) {
        while (size_t(side) * side < writes) side *= 2;
        std::vector<Value> values(reads);
        for (size_t i = 0; i < reads; ++i) values[i] = Value((i * 2654435761u >> 7) % 256);
        check(cudaMalloc(&in, reads * sizeof(Value)));
        check(cudaMalloc(&out, writes * sizeof(Value)));
        check(cudaMemcpy(in, values.data(), reads * sizeof(Value), cudaMemcpyHostToDevice));
    }
    ~Case() { cudaFree(in), cudaFree(out); }

    dim3 grid() const { return dim3(threads / (K::block_x * K::block_y)); }
    static dim3 block() { return dim3(K::block_x, K::block_y); }

    template <bool Racy>
    void plain() const {
        kernel<K, babycuda::Off, Racy><<<grid(), block()>>>({}, in, out, side);
    }
    template <bool Racy, class Array>
    void watched(Watch& monitor, Array all_in, Array all_out) const {
        kernel<K, Watch::Launch, Racy><<<grid(), block()>>>(monitor.launch(), all_in, all_out, side);
    }
    /// What a launch leaves in cells of zeros.
    template <class Launch>
    std::vector<Value> result(Launch launch) const {
        std::vector<Value> values(writes);
        check(cudaMemset(out, 0, writes * sizeof(Value)));
        launch();
        check(cudaGetLastError());
        check(cudaMemcpy(values.data(), out, writes * sizeof(Value), cudaMemcpyDeviceToHost));
        return values;
    }
};

/// Milliseconds of each of some launches, one behind the other, on the device.
template <class Launch>
static float device_time(Launch launch, int launches) {
    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin));
    check(cudaEventCreate(&end));
    check(cudaEventRecord(begin));
    for (int i = 0; i < launches; ++i) launch();
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    check(cudaGetLastError());
    float time = 0;
    check(cudaEventElapsedTime(&time, begin, end));
    cudaEventDestroy(begin), cudaEventDestroy(end);
    return time / launches;
}

/// The same of two kernels: the medians of nine samples, which take turns.
template <class Plain, class Watched>
static std::pair<float, float> device_times(Plain plain, Watched watched) {
    auto launches = [](float time) { return std::max(1, std::min(20, int(5 / time))); };
    device_time(plain, 3), device_time(watched, 3);
    const int of_plain = launches(device_time(plain, 1)), of_watched = launches(device_time(watched, 1));
    std::vector<float> first, second;
    for (int i = 0; i < 9; ++i) {
        first.push_back(device_time(plain, of_plain));
        second.push_back(device_time(watched, of_watched));
    }
    return {median(first), median(second)};
}

/// Milliseconds of a launch up to its end, as the host sees it: the median of five, after two.
template <class Launch>
static float host_time(Launch launch) {
    std::vector<float> times;
    for (int i = 0; i < 7; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        launch();
        check(cudaDeviceSynchronize());
        const std::chrono::duration<float, std::milli> time = std::chrono::steady_clock::now() - begin;
        if (i >= 2) times.push_back(time.count());
    }
    return median(times);
}

static std::vector<float> ratios;
static bool wrong = false;

/// A row of the table.
template <class K>
static void measure(unsigned threads) {
    const Case<K> c(threads);
    Watch monitor;
    const auto in = monitor.watch(c.in, c.reads, "in");
    const auto out = monitor.watch(c.out, c.writes, "out");
    const bool same = c.result([&] { c.template plain<false>(); }) ==
                      c.result([&] { c.template watched<false>(monitor, in, out); });
    const auto [plain, watched] = device_times([&] { c.template plain<false>(); },
                                               [&] { c.template watched<false>(monitor, in, out); });
    const babycuda::Report clean = monitor.report();
    monitor.clear();
    c.result([&] { c.template watched<true>(monitor, in, out); });
    const babycuda::Report racy = monitor.report();
    ratios.push_back(watched / plain);
    const bool right = same && clean.races == 0 && clean.flags == 0 && racy.races > 0 && racy.flags == 0;
    wrong = wrong || !right;
    std::printf("| %s | %u | %.4f | %.4f | %.2f | %llu | %llu | %s |\n", K::name, threads, plain, watched,
                watched / plain, clean.races, racy.races,
                !same ? "WRONG: other results" : right ? "as expected" : "WRONG");
    if (clean.races > 0 || clean.flags != 0) clean.print(stdout);
    std::fflush(stdout);
}

/// One line of a kernel by itself, for a run under another tool.
template <class K>
static void once(const char* how, bool racy, unsigned threads) {
    const Case<K> c(threads);
    float time;
    unsigned long long races = 0;
    if (std::strcmp(how, "plain") == 0) {
        time = racy ? host_time([&] { c.template plain<true>(); }) : host_time([&] { c.template plain<false>(); });
    } else {
        Watch monitor;
        const auto in = monitor.watch(c.in, c.reads, "in");
        const auto out = monitor.watch(c.out, c.writes, "out");
        time = racy ? host_time([&] { c.template watched<true>(monitor, in, out); })
                    : host_time([&] { c.template watched<false>(monitor, in, out); });
        races = monitor.report().races;
    }
    check(cudaGetLastError());
    std::printf("time %.4f races %llu\n", time, races);
    std::fflush(stdout);
}

template <class... K>
struct List {
    static void measure_all(unsigned threads) { (measure<K>(threads), ...); }
    static bool once_of(const char* name, const char* how, bool racy, unsigned threads) {
        return ((std::strcmp(name, K::name) == 0 && (once<K>(how, racy, threads), true)) || ...);
    }
};
using All = List<Stencil, Reduction, WarpScan, Transpose, Histogram, Matmul>;

/// `main [THREADS]`: the table. `main NAME plain|watched clean|racy THREADS`: one kernel.
int main(int count, char** arguments) {
    if (count == 5) {
        const bool racy = std::strcmp(arguments[3], "racy") == 0;
        return All::once_of(arguments[1], arguments[2], racy, std::atoi(arguments[4])) ? 0 : 2;
    }
    // The device's clocks rise first.
    const Case<Matmul> warm(1 << 20);
    for (float time = 0; time < 400;) time += 20 * device_time([&] { warm.plain<false>(); }, 20);
    std::printf("| kernel | threads | plain, ms | watched, ms | ratio | races | races of the racy one | |\n");
    std::printf("|---|---|---|---|---|---|---|---|\n");
    All::measure_all(count > 1 ? std::atoi(arguments[1]) : 1 << 20);
    std::printf("median ratio %.2f\n", median(ratios));
    return wrong ? 1 : 0;
}
