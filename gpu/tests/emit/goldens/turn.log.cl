// Kernel `turn`, printed by babycuda in OpenCL C.
// Launch: blocks of 4 x 1 x 1 threads.
// Instrumented: every thread keeps account of its accesses.

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

// A thread's account of its run.
struct Thread {
    uint status; // 0, or the fault that ended its accesses
    uint site; // the statement of the fault
    uint phase;
    uint count; // accesses recorded
    uint overflow; // 0, or 1 + the statement of the first overflow
    ulong fuel; // accesses and iterations left
    ulong rounds; // iterations of loops with barriers left
    ulong capacity; // accesses, or phases, that there is room for
    ulong row; // cells of a phase
    ulong index; // the index that was outside its array
    ulong who; // block and thread, mixed
    __global ulong *entries;
};

// Ends a thread's accesses. It goes on to every barrier, as others wait for it there.
static bool fault(struct Thread *thread, uint status, uint site)
{
    if (thread->status == 0) {
        thread->status = status;
        thread->site = site;
    }
    return false;
}

// May the thread go on?
static bool spend(struct Thread *thread, uint site)
{
    if (thread->status != 0) {
        return false;
    }
    if (thread->fuel == 0) {
        return fault(thread, 2u, site);
    }
    thread->fuel -= 1;
    return true;
}

// May the block go on with a loop that has barriers? All its threads get the same answer.
static bool proceed(struct Thread *thread, uint site)
{
    if (thread->rounds == 0) {
        return fault(thread, 2u, site);
    }
    thread->rounds -= 1;
    return true;
}

// May the thread access a cell?
static bool begin(struct Thread *thread, uint site, ulong index, ulong length)
{
    if (!spend(thread, site)) {
        return false;
    }
    if (index >= length) {
        thread->index = index;
        return fault(thread, 4u, site);
    }
    return thread->count < thread->capacity ? true : fault(thread, 3u, site);
}

// Records an access.
static void record(
    struct Thread *thread, uint site, uint mode, ulong first, ulong index, ulong value)
{
    __global ulong *entry = thread->entries + 3 * (ulong)thread->count;
    entry[0] = (ulong)thread->phase << 32 | site;
    entry[1] = index;
    entry[2] = value;
    thread->count += 1;
}

static ulong add_natural(struct Thread *thread, uint site, ulong a, ulong b)
{
    if ((a > ~b) && thread->overflow == 0) {
        thread->overflow = 1 + site;
    }
    return a + b;
}

__kernel void turn(
    __global volatile ulong *memory,
    __global const ulong *inputs,
    __global ulong *entries,
    __global uint *results)
{
    __local volatile ulong S[4];
    const uint thread_index = (uint)get_local_id(0);
    const uint block_threads = (uint)get_local_size(0) * (uint)get_local_size(1) * (uint)get_local_size(2);
    const ulong block_index =
        (uint)get_group_id(0) + (ulong)(uint)get_num_groups(0) * ((uint)get_group_id(1) + (ulong)(uint)get_num_groups(1) * (uint)get_group_id(2));
    const ulong number = block_index * block_threads + thread_index;
    struct Thread thread = { 0 };
    thread.fuel = inputs[0];
    thread.rounds = inputs[1];
    thread.capacity = inputs[2];
    thread.row = inputs[3];
    thread.entries = entries + number * 3 * thread.capacity;
    const ulong S_base = inputs[4];
    const ulong S_length = inputs[5];
    const ulong S_first = inputs[6];
    const ulong A_base = inputs[7];
    const ulong A_length = inputs[8];
    const ulong A_first = inputs[9];
    const ulong n = inputs[10];
    for (ulong cell = thread_index; cell < S_length; cell += block_threads) {
        S[cell] = memory[S_base + block_index * S_length + cell];
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    const ulong index_0 = (ulong)thread_index;
    ulong x = 0ul;
    if (begin(&thread, 0u, index_0, A_length)) {
        x = memory[A_base + index_0];  // line 2
        record(&thread, 0u, 0u, A_first, index_0, x);
    }
    const ulong index_1 = (ulong)thread_index;
    const ulong value = add_natural(&thread, 1, x, n);
    if (begin(&thread, 1u, index_1, S_length)) {
        record(&thread, 1u, 1u, S_first, index_1, value);
        S[index_1] = value;  // line 2
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);  // line 3
    thread.phase += 1;
    const ulong i_end = n;
    for (ulong i = 0ul; i < i_end && spend(&thread, 3u); i++) {
        const ulong index_4 = add_natural(&thread, 4, (ulong)thread_index, i) % 4ul;
        ulong y = 0ul;
        if (begin(&thread, 4u, index_4, S_length)) {
            y = S[index_4];  // line 4
            record(&thread, 4u, 0u, S_first, index_4, y);
        }
        const ulong index_5 = (ulong)thread_index;
        const ulong operand = y;
        ulong z = 0ul;
        if (begin(&thread, 5u, index_5, A_length)) {
            for (;;) {  // line 4
                const ulong seen = atom_cmpxchg(&memory[A_base + index_5], z, add_natural(&thread, 5, z, operand));
                if (seen == z) {
                    break;
                }
                z = seen;
            }
            record(&thread, 5u, 3u, A_first, index_5, z);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (ulong cell = thread_index; cell < S_length; cell += block_threads) {
        memory[S_base + block_index * S_length + cell] = S[cell];
    }
    __global uint *result = results + 8 * number;
    result[0] = thread.status;
    result[1] = thread.site;
    result[2] = thread.count;
    result[3] = thread.overflow;
    result[4] = thread.phase;
    result[5] = (uint)thread.fuel;
    result[6] = (uint)thread.index;
    result[7] = (uint)(thread.index >> 32);
}
