// The host's part of babycuda_monitor.cuh: memory for words, launches, reports. Needs CUDA's runtime API.
#pragma once

#ifdef __CUDACC__
#include <cuda_runtime.h>
#endif

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace babycuda {

/// What a monitor found so far.
struct Report {
    /// How many cells raced, each counted once in a launch; the log has the first ones.
    unsigned long long races = 0;
    std::vector<Race> log;
    /// `Flag`s. Without any, no race of the accesses that were watched was missed.
    unsigned flags = 0;
    std::vector<std::string> arrays;

    bool is_conclusive() const { return flags == 0; }

    void print(std::FILE* out = stdout) const {
        static const char* const modes[] = {"read", "write", "atomic of the block", "atomic", "read and write"};
        for (const Race& race : log) {
            const std::string array = race.is_shared                ? "shared array of line " + std::to_string(race.array)
                                      : race.array < arrays.size() ? arrays[race.array]
                                                                   : "an array of another monitor";
            std::fprintf(out, "race: %s[%llu]: %s at line %u by thread %u of block %u, after thread %u of block %u (%s)\n",
                         array.c_str(), race.index, modes[race.mode], race.line, race.thread, race.block,
                         race.last_thread, race.last_block, table::kNames[race.before]);
        }
        std::fprintf(out, "%llu races", races);
        if (races > log.size()) std::fprintf(out, ", of which the first %zu are listed", log.size());
        static const char* const reasons[] = {
            "a thread passed more barriers than its clock counts", "more blocks than a word has room for",
            "a barrier of some lanes of a warp", "a warp passed more barriers than its clock counts",
            "an access beyond the end of an array"};
        for (unsigned i = 0; i < 5; ++i) {
            if (flags >> i & 1) std::fprintf(out, "; there may be more: %s", reasons[i]);
        }
        std::fprintf(out, "\n");
    }
};

/// Words for arrays, and what kernels found. Its kernels run in one stream: each begins when the one before has
/// ended, so that all before is ordered before it.
template <class G = GlobalWords, class S = SharedWords>
class Monitor {
  public:
    using Launch = Watched<G, S>;

    explicit Monitor(unsigned capacity = 1024, cudaStream_t stream = 0) : capacity(capacity), stream(stream) {
        try {
            log = allocate<Race>(capacity);
            findings = allocate<Findings>(1);
            clear();
        } catch (...) {
            release();
            throw;
        }
    }
    ~Monitor() { release(); }
    Monitor(const Monitor&) = delete;
    Monitor& operator=(const Monitor&) = delete;

    /// Watches `size` cells of device memory; `name` is for reports. The same cells again have the same words; throws
    /// where others overlap, which would have two words each.
    template <class T>
    Array<G, T> watch(T* data, size_t size, const char* name = "array") {
        using Word = typename G::Word;
        const char* const begin = (const char*)data;
        const char* const end = begin + size * sizeof(T);
        for (size_t i = 0; i < words.size(); ++i) {
            const Memory& other = words[i];
            if (other.begin == begin && other.end == end && other.bytes == size * sizeof(Word)) {
                return {data, static_cast<Word*>(other.data), size, static_cast<unsigned>(i)};
            }
            if (begin < other.end && other.begin < end) {
                throw std::runtime_error(std::string("babycuda: ") + name + " overlaps " + names[i] + ", which is watched");
            }
        }
        words.push_back({nullptr, size * sizeof(Word), begin, end});
        names.push_back(name);
        Word* shadow = allocate<Word>(size);
        words.back().data = shadow;
        check(cudaMemsetAsync(shadow, 0, size * sizeof(Word), stream));
        return {data, shadow, size, static_cast<unsigned>(names.size() - 1)};
    }

    /// For one launch of a kernel, in which a thread passes at most so many barriers of the grid.
    Launch launch(unsigned grid_barriers = 0) {
        // The words of a cell that nobody accessed are of epoch 0.
        if (grid_barriers > G::most_epochs - 1) grid_barriers = G::most_epochs - 1;
        if (epoch + 1 + grid_barriers > G::most_epochs) {
            for (const Memory& memory : words) check(cudaMemsetAsync(memory.data, 0, memory.bytes, stream));
            epoch = 0;
        }
        const unsigned now = epoch + 1;
        epoch = now + grid_barriers;
        return {findings, now, grid_barriers};
    }

    /// Forgets races and flags.
    void clear() {
        const Findings none = {0, 0, capacity, log};
        check(cudaMemcpyAsync(findings, &none, sizeof none, cudaMemcpyHostToDevice, stream));
        check(cudaStreamSynchronize(stream));
    }

    /// Waits for all launches; throws where one failed, as where a watched kernel needs more registers than there are.
    Report report() const {
        check(cudaStreamSynchronize(stream));
        check(cudaPeekAtLastError());
        Findings found;
        check(cudaMemcpy(&found, findings, sizeof found, cudaMemcpyDeviceToHost));
        Report report;
        report.races = found.races;
        report.flags = found.flags;
        report.arrays = names;
        report.log.resize(found.races < capacity ? found.races : capacity);
        if (!report.log.empty()) {
            check(cudaMemcpy(report.log.data(), log, report.log.size() * sizeof(Race), cudaMemcpyDeviceToHost));
        }
        return report;
    }

  private:
    struct Memory {
        void* data;
        size_t bytes;
        /// What they are words of.
        const char *begin, *end;
    };

    static void check(cudaError_t error) {
        if (error != cudaSuccess) throw std::runtime_error(std::string("babycuda: ") + cudaGetErrorString(error));
    }
    template <class T>
    static T* allocate(size_t count) {
        void* memory = nullptr;
        check(cudaMalloc(&memory, (count > 0 ? count : 1) * sizeof(T)));
        return static_cast<T*>(memory);
    }
    void release() {
        for (const Memory& memory : words) cudaFree(memory.data);
        cudaFree(findings);
        cudaFree(log);
    }

    unsigned capacity;
    cudaStream_t stream;
    Race* log = nullptr;
    Findings* findings = nullptr;
    std::vector<Memory> words;
    std::vector<std::string> names;
    unsigned epoch = 0;
};

}  // namespace babycuda
