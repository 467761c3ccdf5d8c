// Kernel `turn`, printed by babycuda in OpenCL C.
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

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

#ifndef cl_khr_int64_base_atomics
#error "The device has no atomics of 64 bits: give --monitored 32."
#endif

// The machine: the next state by state, access (read, write, atomic of the block, of the device) and label;
// 128: the word stays.
__constant uchar monitor_steps[1344] = {
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
    __global uint *findings;
    uint block;
    uint thread;
    uint block_clock; // barriers of the block that it passed
    uint warp_clock; // barriers of its warp since
    uint global_blind; // flags: why its accesses of global memory are not watched for now
    uint shared_blind;
    uint fuel; // iterations left
    uint rounds; // iterations of loops with barriers left
};

// Notes why there may be more races.
static void monitor_note(__global uint *findings, uint flags)
{
    if ((*(__global volatile uint *)&findings[1] & flags) != flags) {
        atomic_or(&findings[1], flags);
    }
}

// Writes down the first race of a cell, if there is room.
static void monitor_found(
    const struct Monitor *monitor, uint array, uint index, uint how, uint site, uint block, uint thread)
{
    const uint place = atomic_add(&monitor->findings[0], 1u);
    if (place < monitor->findings[2]) {
        __global uint *finding = monitor->findings + 4 + 8 * (ulong)place;
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
static bool monitor_spend(struct Monitor *monitor)
{
    if (monitor->fuel == 0) {
        monitor_note(monitor->findings, 32u);
        return false;
    }
    monitor->fuel -= 1;
    return true;
}

// May the block go on with a loop that has barriers? All its threads get the same answer.
static bool monitor_proceed(struct Monitor *monitor)
{
    if (monitor->rounds == 0) {
        monitor_note(monitor->findings, 32u);
        return false;
    }
    monitor->rounds -= 1;
    return true;
}

// May the thread access a cell that nobody watches?
static bool monitor_reach(const struct Monitor *monitor, uint cells, ulong index)
{
    if (index < cells) {
        return true;
    }
    monitor_note(monitor->findings, 16u);
    return false;
}

// It passes a barrier of its block: those of its warp count anew.
static void pass_block(struct Monitor *monitor)
{
    monitor->block_clock += 1;
    monitor->warp_clock = 0;
    monitor->global_blind = monitor->global_blind & 3u | (monitor->block_clock > 536870911u ? 1u : 0u);
    monitor->shared_blind = monitor->shared_blind & 3u | (monitor->block_clock > 33554431u ? 1u : 0u);
}

// It passes a barrier of its warp.
static void pass_warp(struct Monitor *monitor)
{
    monitor->warp_clock += 1;
    monitor->global_blind = monitor->global_blind & 3u | (monitor->warp_clock > 0u ? 8u : 0u);
    monitor->shared_blind = monitor->shared_blind & 3u | (monitor->warp_clock > 0u ? 8u : 0u);
}

// It passes a barrier of some lanes of its warp.
static void pass_some(struct Monitor *monitor)
{
    monitor->global_blind |= 4u;
    monitor->shared_blind |= 4u;
}

// Makes the machine's step for an access (HiRace, Algorithm 1), unless the array has no such cell.
bool watch_global(
    const struct Monitor *monitor, __global volatile ulong *words, uint cells, ulong index, uint mode, uint site, uint array)
{
    if (index >= cells) {
        return monitor_reach(monitor, cells, index);
    }
    if (monitor->global_blind != 0) {
        monitor_note(monitor->findings, monitor->global_blind);
        return true;
    }
    const ulong own = (ulong)monitor->thread | (ulong)monitor->block_clock << 2 | (ulong)monitor->block << 31;
    __global volatile ulong *word = words + index;
    ulong old = *word;
    for (;;) {
        const uint state = (uint)(old >> 59);
        const ulong differs = old ^ own;
        // Which group has both threads, and which barrier lies between.
        const uint relation = ((differs & 0x3ul) == 0) ? 0u : ((differs & 0x0ul) == 0) ? 1u : 2u;
        const uint barrier = ((differs & 0x7ffffffcul) != 0) ? 2u : (((differs & 0x0ul) != 0) && relation < 2u) ? 1u : 0u;
        const uint label = ((differs & 0x7ffffff80000000ul) != 0) ? 5u : 3u * barrier + relation;
        const uint next = monitor_steps[(state * 4u + mode) * 16u + label];
        if (next >= 128u) {
            return true;
        }
        const ulong seen = atom_cmpxchg(word, old, own | (ulong)next << 59);
        if (seen == old) {
            if (next == 1u && state != 1u) {
                monitor_found(monitor, array, (uint)index, mode | state << 4, site, (uint)(old >> 31 & 268435455ul), (uint)(old & 3ul));
            }
            return true;
        }
        old = seen;
    }
}

// Makes the machine's step for an access (HiRace, Algorithm 1), unless the array has no such cell.
bool watch_shared(
    const struct Monitor *monitor, __local volatile uint *words, uint cells, ulong index, uint mode, uint site, uint array)
{
    if (index >= cells) {
        return monitor_reach(monitor, cells, index);
    }
    if (monitor->shared_blind != 0) {
        monitor_note(monitor->findings, monitor->shared_blind);
        return true;
    }
    const uint own = (uint)monitor->thread | (uint)monitor->block_clock << 2;
    __local volatile uint *word = words + index;
    uint old = *word;
    for (;;) {
        const uint state = (uint)(old >> 27);
        const uint differs = old ^ own;
        // Which group has both threads, and which barrier lies between.
        const uint relation = ((differs & 0x3u) == 0) ? 0u : ((differs & 0x0u) == 0) ? 1u : 2u;
        const uint barrier = ((differs & 0x7fffffcu) != 0) ? 2u : (((differs & 0x0u) != 0) && relation < 2u) ? 1u : 0u;
        const uint label = ((differs & 0x0u) != 0) ? 5u : 3u * barrier + relation;
        const uint next = monitor_steps[(state * 4u + mode) * 16u + label];
        if (next >= 128u) {
            return true;
        }
        const uint seen = atomic_cmpxchg(word, old, own | (uint)next << 27);
        if (seen == old) {
            if (next == 1u && state != 1u) {
                monitor_found(monitor, array, (uint)index, mode | state << 4, site, monitor->block, (uint)(old & 3u));
            }
            return true;
        }
        old = seen;
    }
}

__kernel void turn(
    __global volatile ulong *A,
    ulong n,
    __global ulong *monitor_words,
    __global const uint *monitor_sizes,
    __global uint *monitor_findings)
{
    __local volatile ulong S[4];
    __local uint monitor_shared[4];
    const uint thread_index = (uint)get_local_id(0);
    struct Monitor monitor = { 0 };
    monitor.findings = monitor_findings;
    monitor.block = (uint)get_group_id(0) + (uint)get_num_groups(0) * ((uint)get_group_id(1) + (uint)get_num_groups(1) * (uint)get_group_id(2));
    monitor.thread = thread_index;
    monitor.global_blind = monitor.block > 268435455u || monitor.thread > 3u ? 2u : 0u;
    monitor.shared_blind = monitor.thread > 3u ? 2u : 0u;
    monitor.fuel = monitor_findings[3];
    monitor.rounds = monitor.fuel;
    const uint S_length = 4u;
    __local volatile uint *const S_first = monitor_shared + 0;
    const uint A_length = monitor_sizes[0];
    __global volatile ulong *const A_first = monitor_words;
    for (uint first = 0; first < 4u; first += (uint)get_local_size(0) * (uint)get_local_size(1) * (uint)get_local_size(2)) {
        if (first + thread_index < 4u) {
            monitor_shared[first + thread_index] = 0u;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    const uint index_0 = thread_index;
    ulong x = 0ul;
    if (watch_global(&monitor, A_first, A_length, index_0, 0u, 0u, 1u)) {
        x = A[index_0];  // line 2
    }
    const ulong value = x + n;
    const uint index_1 = thread_index;
    if (watch_shared(&monitor, S_first, S_length, index_1, 1u, 1u, 0u)) {
        S[index_1] = value;  // line 2
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);  // line 3
    pass_block(&monitor);
    const ulong i_end = n;
    for (ulong i = 0ul; i < i_end && monitor_spend(&monitor); i++) {
        const ulong index_4 = ((ulong)thread_index + i) % 4ul;
        ulong y = 0ul;
        if (watch_shared(&monitor, S_first, S_length, index_4, 0u, 4u, 0u)) {
            y = S[index_4];  // line 4
        }
        const ulong operand = y;
        ulong z = 0ul;
        const uint index_5 = thread_index;
        if (watch_global(&monitor, A_first, A_length, index_5, 3u, 5u, 1u)) {
            z = atom_add(&A[index_5], operand);  // line 4
        }
    }
}
