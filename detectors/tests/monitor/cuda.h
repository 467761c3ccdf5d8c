// As much of CUDA as the monitor and its kernels need, on the host: a block at a time, a thread of the host for each
// of its threads.
#pragma once

#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <vector>

#define __global__
#define __device__
#define __shared__ static

struct dim3 {
    unsigned x = 1, y = 1, z = 1;
};
inline thread_local dim3 threadIdx, blockIdx;
inline dim3 blockDim, gridDim;

/// A barrier of some threads.
class Meeting {
  public:
    explicit Meeting(unsigned threads) { pthread_barrier_init(&barrier, nullptr, threads); }
    ~Meeting() { pthread_barrier_destroy(&barrier); }
    void wait() { pthread_barrier_wait(&barrier); }

  private:
    pthread_barrier_t barrier;
};
inline std::unique_ptr<Meeting> block_meeting;
inline std::map<unsigned, std::unique_ptr<Meeting>> warp_meetings;
inline int votes;
inline std::mutex one_at_a_time;

inline unsigned thread_number() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
inline void __syncthreads() { block_meeting->wait(); }
inline int __syncthreads_count(int predicate) {
    if (thread_number() == 0) votes = 0;
    __syncthreads();
    {
        std::lock_guard<std::mutex> guard(one_at_a_time);
        votes += predicate != 0;
    }
    __syncthreads();
    const int all = votes;
    __syncthreads();
    return all;
}
inline int __syncthreads_and(int predicate) { return __syncthreads_count(predicate == 0) == 0; }
inline int __syncthreads_or(int predicate) { return __syncthreads_count(predicate) != 0; }
/// Of all lanes; those of a part of them go on.
inline void __syncwarp(unsigned mask) {
    if (mask == 0xffffffff) warp_meetings.at(thread_number() / 32)->wait();
}

#define ATOMIC(name, next)                                   \
    template <class T>                                       \
    T name(T* cell, T value) {                               \
        std::lock_guard<std::mutex> guard(one_at_a_time);    \
        const T old = *cell;                                 \
        *cell = next;                                        \
        return old;                                          \
    }
#define ATOMIC_OF_SCOPES(name, next) \
    ATOMIC(name, next)               \
    ATOMIC(name##_block, next)       \
    ATOMIC(name##_system, next)
ATOMIC_OF_SCOPES(atomicAdd, old + value)
ATOMIC_OF_SCOPES(atomicSub, old - value)
ATOMIC_OF_SCOPES(atomicExch, value)
ATOMIC_OF_SCOPES(atomicMin, value < old ? value : old)
ATOMIC_OF_SCOPES(atomicMax, value > old ? value : old)
ATOMIC_OF_SCOPES(atomicInc, old >= value ? 0 : old + 1)
ATOMIC_OF_SCOPES(atomicDec, old == 0 || old > value ? value : old - 1)
ATOMIC_OF_SCOPES(atomicAnd, old & value)
ATOMIC_OF_SCOPES(atomicOr, old | value)
ATOMIC_OF_SCOPES(atomicXor, old ^ value)
#define ATOMIC_CAS(name)                                  \
    template <class T>                                    \
    T name(T* cell, T expected, T value) {                \
        std::lock_guard<std::mutex> guard(one_at_a_time); \
        const T old = *cell;                              \
        if (old == expected) *cell = value;               \
        return old;                                       \
    }
ATOMIC_CAS(atomicCAS)
ATOMIC_CAS(atomicCAS_block)
ATOMIC_CAS(atomicCAS_system)

enum cudaError_t { cudaSuccess, cudaErrorMemoryAllocation };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
using cudaStream_t = int;
inline const char* cudaGetErrorString(cudaError_t) { return "out of memory"; }
inline cudaError_t cudaMalloc(void** memory, size_t bytes) {
    *memory = std::malloc(bytes);
    return *memory == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}
inline void cudaFree(void* memory) { std::free(memory); }
inline cudaError_t cudaMemsetAsync(void* memory, int value, size_t bytes, cudaStream_t) {
    return std::memset(memory, value, bytes), cudaSuccess;
}
inline cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
    return std::memcpy(to, from, bytes), cudaSuccess;
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t) {
    return cudaMemcpy(to, from, bytes, kind);
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaPeekAtLastError() { return cudaSuccess; }

/// Runs a kernel.
template <class Kernel>
void run_grid(dim3 grid, dim3 block, Kernel kernel) {
    gridDim = grid, blockDim = block;
    const unsigned threads = block.x * block.y * block.z;
    for (unsigned b = 0; b < grid.x; ++b) {
        block_meeting = std::make_unique<Meeting>(threads);
        warp_meetings.clear();
        for (unsigned first = 0; first < threads; first += 32) {
            warp_meetings[first / 32] = std::make_unique<Meeting>(threads - first < 32 ? threads - first : 32);
        }
        std::vector<std::thread> all;
        for (unsigned t = 0; t < threads; ++t) {
            all.emplace_back([=] {
                blockIdx = {b, 0, 0};
                threadIdx = {t % block.x, t / block.x % block.y, t / block.x / block.y};
                kernel();
            });
        }
        for (std::thread& thread : all) thread.join();
    }
}
