// Kernel `turn`, printed by babycuda in CUDA C.
// Launch: blocks of 4 x 1 x 1 threads.
// Naturals are 64 bits wide here and wrap around; what is stored is reduced to
// the range of the array's elements.
// Monitored: a word for each cell says how it was accessed, and who did so last.
// Behind the plain kernel's arguments: words of 64 bits, at first 0, for the cells of the global arrays that are
// watched, one array behind the other; 32-bit numbers of cells of all global arrays; and the findings,
// 32-bit words: the racy cells (0), flags (0), room for races, iterations that a thread may make; then 8 a race:
// array, index, block, thread, statement, access + 16 * state before, block and thread of the last accessor.
// Limits of words of global memory: 268435456 blocks, 4 threads of a block, 536870911 barriers of a block, 0 of a warp between.
// Limits of words of shared memory: 4 threads of a block, 33554431 barriers of a block, 0 of a warp between.
// Beyond them a flag says that there may be more races than are found.

// The machine: the next state by state, access (read, write, atomic of the block, of the device) and label;
// 128: the word stays.
static __constant__ const unsigned char monitor_steps[1344] = {
      2,   2,   2,   2,   2,   2,   2,   2,   2,   1,   1,   1,   1,   1,   1,   1,
      3,   3,   3,   3,   3,   3,   3,   3,   3,   1,   1,   1,   1,   1,   1,   1,
      4,   4,   4,   4,   4,   4,   4,   4,   4,   1,   1,   1,   1,   1,   1,   1,
      5,   5,   5,   5,   5,   5,   5,   5,   5,   1,   1,   1,   1,   1,   1,   1,
    128, 128, 128, 128, 128, 128, 128, 128, 128,   1,   1,   1,   1,   1,   1,   1,
    128, 128, 128, 128, 128, 128, 128, 128, 128,   1,   1,   1,   1,   1,   1,   1,
    128, 128, 128, 128, 128, 128, 128, 128, 128,   1,   1,   1,   1,   1,   1,   1,
    128, 128, 128, 128, 128, 128, 128, 128, 128,   1,   1,   1,   1,   1,   1,   1,
    128,   6,   7,   2,   2,   8,   2,   2,   2,   1,   1,   1,   1,   1,   1,   1,
      3,   1,   1,   3,   3,   1,   3,   3,   3,   1,   1,   1,   1,   1,   1,   1,
      3,   1,   1,   9,   9,   1,   4,   4,   4,   1,   1,   1,   1,   1,   1,   1,
      3,   1,   1,   9,   9,   1,   4,   4,   4,   1,   1,   1,   1,   1,   1,   1,
    128,   1,   1,  10,  10,   1,  11,  11,  11,   1,   1,   1,   1,   1,   1,   1,
    128,   1,   1,   3,   3,   1,   3,   3,   3,   1,   1,   1,   1,   1,   1,   1,
    128,   1,   1,   9,   9,   1,   4,   4,   4,   1,   1,   1,   1,   1,   1,   1,
    128,   1,   1,   9,   9,   1,   4,   4,   4,   1,   1,   1,   1,   1,   1,   1,
      3,   1,   1,  10,  10,   1,  11,  11,  11,   1,   1,   1,   1,   1,   1,   1,
      3,   1,   1,   3,   3,   1,   3,   3,   3,   1,   1,   1,   1,   1,   1,   1,
    128,  12,  13,   4,   4,   1,   4,   4,   4,   1,   1,   1,   1,   1,   1,   1,
    128,  12,  13,   4,   4,   1,   4,   4,   4,   1,   1,   1,   1,   1,   1,   1,
      3,   1,   1,  10,  10,   1,  11,  11,  11,   1,   1,   1,   1,   1,   1,   1,
      3,   1,   1,   3,   3,   1,   3,   3,   3,   1,   1,   1,   1,   1,   1,   1,
      4,  12,  13,   4,   4,   1,   4,   4,   4,   1,   1,   1,   1,   1,   1,   1,
    128,  14,  15,   5,   5,  16,   5,   5,   5,   1,   1,   1,   1,   1,   1,   1,
    128, 128,   7,   2,   2,   8,   2,   2,   2,   1,   1,   1,   1,   1,   1,   1,
      1,   1,   1,   3,   3,   1,   3,   3,   3,   1,   1,   1,   1,   1,   1,   1,
      1,   1,   1,   9,   9,   1,   4,   4,   4,   1,   1,   1,   1,   1,   1,   1,
      1,   1,   1,   9,   9,   1,   4,   4,   4,   1,   1,   1,   1,   1,   1,   1,
    128, 128, 128, 128, 128,   8,   2,   2,   2,   1,   1,   1,   1,   1,   1,   1,
      1,   1,   1,   1,   1,   1,   3,   3,   3,   1,   1,   1,   1,   1,   1,   1,
      1,   1,   1,   1,   1,   1,   4,   4,   4,   1,   1,   1,   1,   1,   1,   1,
      1,   1,   1,   1,   1,   1,   4,   4,   4,   1,   1,   1,   1,   1,   1,   1,
    128, 128, 128, 128, 128, 128, 128, 128, 128,   1,   1,   1,   1,   1,   1,   1,
      1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,
      1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,
      1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,
      3,   1,   1,  10,  10,   1,  11,  11,  11,   1,   1,   1,   1,   1,   1,   1,
      3,   1,   1,   3,   3,   1,   3,   3,   3,   1,   1,   1,   1,   1,   1,   1,
    128,  17,   1,   9,   9,   1,   4,   4,   4,   1,   1,   1,   1,   1,   1,   1,
    128,  17,   1,   9,   9,   1,   4,   4,   4,   1,   1,   1,   1,   1,   1,   1,
    128,  18,   1,  10,  10,   1,  11,  11,  11,   1,   1,   1,   1,   1,   1,   1,
      3,   1,   1,   3,   3,   1,   3,   3,   3,   1,   1,   1,   1,   1,   1,   1,
      3,   1,   1,   9,   9,   1,   4,   4,   4,   1,   1,   1,   1,   1,   1,   1,
      3,   1,   1,   9,   9,   1,   4,   4,   4,   1,   1,   1,   1,   1,   1,   1,
    128,  19,  20,  11,  11,   1,  11,  11,  11,   1,   1,   1,   1,   1,   1,   1,
      3,   1,   1,   3,   3,   1,   3,   3,   3,   1,   1,   1,   1,   1,   1,   1,
      3,   1,   1,   9,   9,   1,   4,   4,   4,   1,   1,   1,   1,   1,   1,   1,
      3,   1,   1,   9,   9,   1,   4,   4,   4,   1,   1,   1,   1,   1,   1,   1,
      1,   1,   1,  10,  10,   1,  11,  11,  11,   1,   1,   1,   1,   1,   1,   1,
      1,   1,   1,   3,   3,   1,   3,   3,   3,   1,   1,   1,   1,   1,   1,   1,
    128, 128,  13,   4,   4,   1,   4,   4,   4,   1,   1,   1,   1,   1,   1,   1,
    128, 128,  13,   4,   4,   1,   4,   4,   4,   1,   1,   1,   1,   1,   1,   1,
      1,   1,   1,   1,   1,   1,  11,  11,  11,   1,   1,   1,   1,   1,   1,   1,
      1,   1,   1,   1,   1,   1,   3,   3,   3,   1,   1,   1,   1,   1,   1,   1,
    128, 128, 128, 128, 128,   1,   4,   4,   4,   1,   1,   1,   1,   1,   1,   1,
    128, 128, 128, 128, 128,   1,   4,   4,   4,   1,   1,   1,   1,   1,   1,   1,
      1,   1,   1,  10,  10,   1,  11,  11,  11,   1,   1,   1,   1,   1,   1,   1,
      1,   1,   1,   3,   3,   1,   3,   3,   3,   1,   1,   1,   1,   1,   1,   1,
     12,  12,  13,   4,   4,   1,   4,   4,   4,   1,   1,   1,   1,   1,   1,   1,
    128, 128,  15,   5,   5,  16,   5,   5,   5,   1,   1,   1,   1,   1,   1,   1,
      1,   1,   1,   1,   1,   1,  11,  11,  11,   1,   1,   1,   1,   1,   1,   1,
      1,   1,   1,   1,   1,   1,   3,   3,   3,   1,   1,   1,   1,   1,   1,   1,
     13,  13,  13,  13,  13,   1,   4,   4,   4,   1,   1,   1,   1,   1,   1,   1,
    128, 128, 128, 128, 128,  16,   5,   5,   5,   1,   1,   1,   1,   1,   1,   1,
      1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,
      1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,
      1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,
    128, 128, 128, 128, 128, 128, 128, 128, 128,   1,   1,   1,   1,   1,   1,   1,
      1,   1,   1,  10,  10,   1,  11,  11,  11,   1,   1,   1,   1,   1,   1,   1,
      1,   1,   1,   3,   3,   1,   3,   3,   3,   1,   1,   1,   1,   1,   1,   1,
    128, 128,   1,   9,   9,   1,   4,   4,   4,   1,   1,   1,   1,   1,   1,   1,
    128, 128,   1,   9,   9,   1,   4,   4,   4,   1,   1,   1,   1,   1,   1,   1,
    128, 128,   1,  10,  10,   1,  11,  11,  11,   1,   1,   1,   1,   1,   1,   1,
      1,   1,   1,   3,   3,   1,   3,   3,   3,   1,   1,   1,   1,   1,   1,   1,
      1,   1,   1,   9,   9,   1,   4,   4,   4,   1,   1,   1,   1,   1,   1,   1,
      1,   1,   1,   9,   9,   1,   4,   4,   4,   1,   1,   1,   1,   1,   1,   1,
    128, 128,  20,  11,  11,   1,  11,  11,  11,   1,   1,   1,   1,   1,   1,   1,
      1,   1,   1,   3,   3,   1,   3,   3,   3,   1,   1,   1,   1,   1,   1,   1,
      1,   1,   1,   9,   9,   1,   4,   4,   4,   1,   1,   1,   1,   1,   1,   1,
      1,   1,   1,   9,   9,   1,   4,   4,   4,   1,   1,   1,   1,   1,   1,   1,
    128, 128, 128, 128, 128,   1,  11,  11,  11,   1,   1,   1,   1,   1,   1,   1,
      1,   1,   1,   1,   1,   1,   3,   3,   3,   1,   1,   1,   1,   1,   1,   1,
      1,   1,   1,   1,   1,   1,   4,   4,   4,   1,   1,   1,   1,   1,   1,   1,
      1,   1,   1,   1,   1,   1,   4,   4,   4,   1,   1,   1,   1,   1,   1,   1,
};

// A thread, as the words know it.
struct Monitor {
    unsigned int *findings;
    unsigned int block;
    unsigned int thread;
    unsigned int block_clock; // barriers of the block that it passed
    unsigned int warp_clock; // barriers of its warp since
    unsigned int global_blind; // flags: why its accesses of global memory are not watched for now
    unsigned int shared_blind;
    unsigned int fuel; // iterations left
    unsigned int rounds; // iterations of loops with barriers left
};

// Notes why there may be more races.
static inline __device__ void monitor_note(unsigned int *findings, unsigned int flags)
{
    if ((*(volatile unsigned int *)&findings[1] & flags) != flags) {
        atomicOr(&findings[1], flags);
    }
}

// Writes down the first race of a cell, if there is room.
static inline __device__ void monitor_found(
    const struct Monitor *monitor, unsigned int array, unsigned int index, unsigned int how, unsigned int site, unsigned int block, unsigned int thread)
{
    const unsigned int place = atomicAdd(&monitor->findings[0], 1u);
    if (place < monitor->findings[2]) {
        unsigned int *finding = monitor->findings + 4 + 8 * (unsigned long long)place;
        finding[0] = array;
        finding[1] = index;
        finding[2] = monitor->block;
        finding[3] = monitor->thread;
        finding[4] = site;
        finding[5] = how;
        finding[6] = block;
        finding[7] = thread;
    }
}

// May the thread go on with a loop?
static inline __device__ bool monitor_spend(struct Monitor *monitor)
{
    if (monitor->fuel == 0) {
        monitor_note(monitor->findings, 32u);
        return false;
    }
    monitor->fuel -= 1;
    return true;
}

// May the block go on with a loop that has barriers? All its threads get the same answer.
static inline __device__ bool monitor_proceed(struct Monitor *monitor)
{
    if (monitor->rounds == 0) {
        monitor_note(monitor->findings, 32u);
        return false;
    }
    monitor->rounds -= 1;
    return true;
}

// May the thread access a cell that nobody watches?
static inline __device__ bool monitor_reach(const struct Monitor *monitor, unsigned int cells, unsigned long long index)
{
    if (index < cells) {
        return true;
    }
    monitor_note(monitor->findings, 16u);
    return false;
}

// It passes a barrier of its block: those of its warp count anew.
static inline __device__ void pass_block(struct Monitor *monitor)
{
    monitor->block_clock += 1;
    monitor->warp_clock = 0;
    monitor->global_blind = monitor->global_blind & 3u | (monitor->block_clock > 536870911u ? 1u : 0u);
    monitor->shared_blind = monitor->shared_blind & 3u | (monitor->block_clock > 33554431u ? 1u : 0u);
}

// It passes a barrier of its warp.
static inline __device__ void pass_warp(struct Monitor *monitor)
{
    monitor->warp_clock += 1;
    monitor->global_blind = monitor->global_blind & 3u | (monitor->warp_clock > 0u ? 8u : 0u);
    monitor->shared_blind = monitor->shared_blind & 3u | (monitor->warp_clock > 0u ? 8u : 0u);
}

// It passes a barrier of some lanes of its warp.
static inline __device__ void pass_some(struct Monitor *monitor)
{
    monitor->global_blind |= 4u;
    monitor->shared_blind |= 4u;
}

// Makes the machine's step for an access (HiRace, Algorithm 1), unless the array has no such cell.
static inline __device__ bool watch_global(
    const struct Monitor *monitor, volatile unsigned long long *words, unsigned int cells, unsigned long long index, unsigned int mode, unsigned int site, unsigned int array)
{
    if (index >= cells) {
        return monitor_reach(monitor, cells, index);
    }
    if (monitor->global_blind != 0) {
        monitor_note(monitor->findings, monitor->global_blind);
        return true;
    }
    const unsigned long long own = (unsigned long long)monitor->thread | (unsigned long long)monitor->block_clock << 2 | (unsigned long long)monitor->block << 31;
    volatile unsigned long long *word = words + index;
    unsigned long long old = *word;
    for (;;) {
        const unsigned int state = (unsigned int)(old >> 59);
        const unsigned long long differs = old ^ own;
        // Which group has both threads, and which barrier lies between.
        const unsigned int relation = ((differs & 0x3ull) == 0) ? 0u : ((differs & 0x0ull) == 0) ? 1u : 2u;
        const unsigned int barrier = ((differs & 0x7ffffffcull) != 0) ? 2u : (((differs & 0x0ull) != 0) && relation < 2u) ? 1u : 0u;
        const unsigned int label = ((differs & 0x7ffffff80000000ull) != 0) ? 5u : 3u * barrier + relation;
        const unsigned int next = monitor_steps[(state * 4u + mode) * 16u + label];
        if (next >= 128u) {
            return true;
        }
        const unsigned long long seen = atomicCAS((unsigned long long *)word, old, own | (unsigned long long)next << 59);
        if (seen == old) {
            if (next == 1u && state != 1u) {
                monitor_found(monitor, array, (unsigned int)index, mode | state << 4, site, (unsigned int)(old >> 31 & 268435455ull), (unsigned int)(old & 3ull));
            }
            return true;
        }
        old = seen;
    }
}

// Makes the machine's step for an access (HiRace, Algorithm 1), unless the array has no such cell.
static inline __device__ bool watch_shared(
    const struct Monitor *monitor, volatile unsigned int *words, unsigned int cells, unsigned long long index, unsigned int mode, unsigned int site, unsigned int array)
{
    if (index >= cells) {
        return monitor_reach(monitor, cells, index);
    }
    if (monitor->shared_blind != 0) {
        monitor_note(monitor->findings, monitor->shared_blind);
        return true;
    }
    const unsigned int own = (unsigned int)monitor->thread | (unsigned int)monitor->block_clock << 2;
    volatile unsigned int *word = words + index;
    unsigned int old = *word;
    for (;;) {
        const unsigned int state = (unsigned int)(old >> 27);
        const unsigned int differs = old ^ own;
        // Which group has both threads, and which barrier lies between.
        const unsigned int relation = ((differs & 0x3u) == 0) ? 0u : ((differs & 0x0u) == 0) ? 1u : 2u;
        const unsigned int barrier = ((differs & 0x7fffffcu) != 0) ? 2u : (((differs & 0x0u) != 0) && relation < 2u) ? 1u : 0u;
        const unsigned int label = ((differs & 0x0u) != 0) ? 5u : 3u * barrier + relation;
        const unsigned int next = monitor_steps[(state * 4u + mode) * 16u + label];
        if (next >= 128u) {
            return true;
        }
        const unsigned int seen = atomicCAS((unsigned int *)word, old, own | (unsigned int)next << 27);
        if (seen == old) {
            if (next == 1u && state != 1u) {
                monitor_found(monitor, array, (unsigned int)index, mode | state << 4, site, monitor->block, (unsigned int)(old & 3u));
            }
            return true;
        }
        old = seen;
    }
}

extern "C" __global__ void turn(
    volatile unsigned long long *A,
    unsigned long long n,
    unsigned long long *monitor_words,
    const unsigned int *monitor_sizes,
    unsigned int *monitor_findings)
{
    __shared__ volatile unsigned long long S[4];
    __shared__ unsigned int monitor_shared[4];
    const unsigned int thread_index = threadIdx.x;
    struct Monitor monitor = { 0 };
    monitor.findings = monitor_findings;
    monitor.block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    monitor.thread = thread_index;
    monitor.global_blind = monitor.block > 268435455u || monitor.thread > 3u ? 2u : 0u;
    monitor.shared_blind = monitor.thread > 3u ? 2u : 0u;
    monitor.fuel = monitor_findings[3];
    monitor.rounds = monitor.fuel;
    const unsigned int S_length = 4u;
    volatile unsigned int *const S_first = monitor_shared + 0;
    const unsigned int A_length = monitor_sizes[0];
    volatile unsigned long long *const A_first = monitor_words;
    for (unsigned int first = 0; first < 4u; first += blockDim.x * blockDim.y * blockDim.z) {
        if (first + thread_index < 4u) {
            monitor_shared[first + thread_index] = 0u;
        }
    }
    __syncthreads();
    const unsigned int index_0 = thread_index;
    unsigned long long x = 0ull;
    if (watch_global(&monitor, A_first, A_length, index_0, 0u, 0u, 1u)) {
        x = A[index_0];  // line 2
    }
    const unsigned long long value = x + n;
    const unsigned int index_1 = thread_index;
    if (watch_shared(&monitor, S_first, S_length, index_1, 1u, 1u, 0u)) {
        S[index_1] = value;  // line 2
    }
    __syncthreads();  // line 3
    pass_block(&monitor);
    const unsigned long long i_end = n;
    for (unsigned long long i = 0ull; i < i_end && monitor_spend(&monitor); i++) {
        const unsigned long long index_4 = ((unsigned long long)thread_index + i) % 4ull;
        unsigned long long y = 0ull;
        if (watch_shared(&monitor, S_first, S_length, index_4, 0u, 4u, 0u)) {
            y = S[index_4];  // line 4
        }
        const unsigned long long operand = y;
        unsigned long long z = 0ull;
        const unsigned int index_5 = thread_index;
        if (watch_global(&monitor, A_first, A_length, index_5, 3u, 5u, 1u)) {
            z = atomicAdd((unsigned long long *)&A[index_5], operand);  // line 4
        }
    }
}
