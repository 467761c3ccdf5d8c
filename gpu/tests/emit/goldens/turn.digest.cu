// Kernel `turn`, printed by babycuda in CUDA C.
// Launch: blocks of 4 x 1 x 1 threads.
// Instrumented: every thread keeps account of its accesses.

// A thread's account of its run.
struct Thread {
    unsigned int status; // 0, or the fault that ended its accesses
    unsigned int site; // the statement of the fault
    unsigned int phase;
    unsigned int count; // accesses recorded
    unsigned int overflow; // 0, or 1 + the statement of the first overflow
    unsigned long long fuel; // accesses and iterations left
    unsigned long long rounds; // iterations of loops with barriers left
    unsigned long long capacity; // accesses, or phases, that there is room for
    unsigned long long row; // cells of a phase
    unsigned long long index; // the index that was outside its array
    unsigned long long who; // block and thread, mixed
    unsigned long long *entries;
};

// Ends a thread's accesses. It goes on to every barrier, as others wait for it there.
static inline __device__ bool fault(struct Thread *thread, unsigned int status, unsigned int site)
{
    if (thread->status == 0) {
        thread->status = status;
        thread->site = site;
    }
    return false;
}

// May the thread go on?
static inline __device__ bool spend(struct Thread *thread, unsigned int site)
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
static inline __device__ bool proceed(struct Thread *thread, unsigned int site)
{
    if (thread->rounds == 0) {
        return fault(thread, 2u, site);
    }
    thread->rounds -= 1;
    return true;
}

// May the thread access a cell?
static inline __device__ bool begin(struct Thread *thread, unsigned int site, unsigned long long index, unsigned long long length)
{
    if (!spend(thread, site)) {
        return false;
    }
    if (index >= length) {
        thread->index = index;
        return fault(thread, 4u, site);
    }
    return thread->phase < thread->capacity ? true : fault(thread, 3u, site);
}

// The step and output function of SplitMix64.
static inline __device__ unsigned long long mix64(unsigned long long word)
{
    unsigned long long z = word + 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

// Records an access.
static inline __device__ void record(
    struct Thread *thread, unsigned int site, unsigned int mode, unsigned long long first, unsigned long long index, unsigned long long value)
{
    const unsigned long long term = mix64(thread->who ^ ((unsigned long long)thread->phase << 3 | mode));
    atomicAdd(&thread->entries[thread->phase * thread->row + first + index], term);
    thread->count += 1;
}

static inline __device__ unsigned long long add_natural(struct Thread *thread, unsigned int site, unsigned long long a, unsigned long long b)
{
    if ((a > ~b) && thread->overflow == 0) {
        thread->overflow = 1 + site;
    }
    return a + b;
}

extern "C" __global__ void turn(
    volatile unsigned long long *memory,
    const unsigned long long *inputs,
    unsigned long long *entries,
    unsigned int *results)
{
    __shared__ volatile unsigned long long S[4];
    const unsigned int thread_index = threadIdx.x;
    const unsigned int block_threads = blockDim.x * blockDim.y * blockDim.z;
    const unsigned long long block_index =
        blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
    const unsigned long long number = block_index * block_threads + thread_index;
    struct Thread thread = { 0 };
    thread.fuel = inputs[0];
    thread.rounds = inputs[1];
    thread.capacity = inputs[2];
    thread.row = inputs[3];
    thread.who = mix64(mix64(block_index) ^ thread_index);
    thread.entries = entries;
    const unsigned long long S_base = inputs[4];
    const unsigned long long S_length = inputs[5];
    const unsigned long long S_first = inputs[6];
    const unsigned long long A_base = inputs[7];
    const unsigned long long A_length = inputs[8];
    const unsigned long long A_first = inputs[9];
    const unsigned long long n = inputs[10];
    for (unsigned long long cell = thread_index; cell < S_length; cell += block_threads) {
        S[cell] = memory[S_base + block_index * S_length + cell];
    }
    __syncthreads();
    const unsigned long long index_0 = (unsigned long long)thread_index;
    unsigned long long x = 0ull;
    if (begin(&thread, 0u, index_0, A_length)) {
        x = memory[A_base + index_0];  // line 2
        record(&thread, 0u, 0u, A_first, index_0, x);
    }
    const unsigned long long index_1 = (unsigned long long)thread_index;
    const unsigned long long value = add_natural(&thread, 1, x, n);
    if (begin(&thread, 1u, index_1, S_length)) {
        record(&thread, 1u, 1u, S_first, index_1, value);
        S[index_1] = value;  // line 2
    }
    __syncthreads();  // line 3
    thread.phase += 1;
    const unsigned long long i_end = n;
    for (unsigned long long i = 0ull; i < i_end && spend(&thread, 3u); i++) {
        const unsigned long long index_4 = add_natural(&thread, 4, (unsigned long long)thread_index, i) % 4ull;
        unsigned long long y = 0ull;
        if (begin(&thread, 4u, index_4, S_length)) {
            y = S[index_4];  // line 4
            record(&thread, 4u, 0u, S_first, index_4, y);
        }
        const unsigned long long index_5 = (unsigned long long)thread_index;
        const unsigned long long operand = y;
        unsigned long long z = 0ull;
        if (begin(&thread, 5u, index_5, A_length)) {
            for (;;) {  // line 4
                const unsigned long long seen = atomicCAS((unsigned long long *)&memory[A_base + index_5], z, add_natural(&thread, 5, z, operand));
                if (seen == z) {
                    break;
                }
                z = seen;
            }
            record(&thread, 5u, 3u, A_first, index_5, z);
        }
    }
    __syncthreads();
    for (unsigned long long cell = thread_index; cell < S_length; cell += block_threads) {
        memory[S_base + block_index * S_length + cell] = S[cell];
    }
    unsigned int *result = results + 8 * number;
    result[0] = thread.status;
    result[1] = thread.site;
    result[2] = thread.count;
    result[3] = thread.overflow;
    result[4] = thread.phase;
    result[5] = (unsigned int)thread.fuel;
    result[6] = (unsigned int)thread.index;
    result[7] = (unsigned int)(thread.index >> 32);
}
