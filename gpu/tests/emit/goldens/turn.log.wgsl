// Kernel `turn`, printed by babycuda in WGSL.
// Launch: blocks of 4 x 1 x 1 threads.
// Instrumented: every thread keeps account of its accesses.

const block_x: u32 = 4u;
const block_y: u32 = 1u;
const block_z: u32 = 1u;

@group(0) @binding(0) var<storage, read_write> memory: array<atomic<u64>>;
@group(0) @binding(1) var<storage, read> inputs: array<u64>;
@group(0) @binding(2) var<storage, read_write> entries: array<u64>;
@group(0) @binding(3) var<storage, read_write> results: array<u32>;
var<workgroup> S: array<atomic<u64>, 4>;

// A thread's account of its run.
struct Thread {
    status: u32, // 0, or the fault that ended its accesses
    site: u32, // the statement of the fault
    phase: u32,
    count: u32, // accesses recorded
    overflow: u32, // 0, or 1 + the statement of the first overflow
    fuel: u64, // accesses and iterations left
    rounds: u64, // iterations of loops with barriers left
    capacity: u64, // accesses, or phases, that there is room for
    row: u64, // cells of a phase
    index: u64, // the index that was outside its array
    who: u64, // block and thread, mixed
    first: u64, // where its entries begin
}

var<private> thread: Thread;

// Ends a thread's accesses. It goes on to every barrier, as others wait for it there.
fn fault(status: u32, site: u32) -> bool {
    if thread.status == 0u {
        thread.status = status;
        thread.site = site;
    }
    return false;
}

// May the thread go on?
fn spend(site: u32) -> bool {
    if thread.status != 0u {
        return false;
    }
    if thread.fuel == 0lu {
        return fault(2u, site);
    }
    thread.fuel = thread.fuel - 1lu;
    return true;
}

// May the block go on with a loop that has barriers? All its threads get the same answer.
fn proceed(site: u32) -> bool {
    if thread.rounds == 0lu {
        return fault(2u, site);
    }
    thread.rounds = thread.rounds - 1lu;
    return true;
}

// May the thread access a cell?
fn begin(site: u32, index: u64, length: u64) -> bool {
    if !spend(site) {
        return false;
    }
    if index >= length {
        thread.index = index;
        return fault(4u, site);
    }
    if u64(thread.count) >= thread.capacity {
        return fault(3u, site);
    }
    return true;
}

// Records an access.
fn record(site: u32, mode: u32, first: u64, index: u64, value: u64) {
    let entry = u32(thread.first + 3lu * u64(thread.count));
    entries[entry] = (u64(thread.phase) << 32u) | u64(site);
    entries[entry + 1u] = index;
    entries[entry + 2u] = value;
    thread.count = thread.count + 1u;
}

fn cell_index(index: u64) -> u32 {
    return select(0xffffffffu, u32(index), index < 0xfffffffflu);
}

fn add_natural(site: u32, a: u64, b: u64) -> u64 {
    if a > ~b && thread.overflow == 0u {
        thread.overflow = 1u + site;
    }
    return (a + b);
}

@compute @workgroup_size(block_x, block_y, block_z)
fn turn(
    @builtin(local_invocation_id) local_id: vec3<u32>,
    @builtin(local_invocation_index) local_index: u32,
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let block_threads: u32 = block_x * block_y * block_z;
    let block_index: u64 = u64(group_id.x)
        + u64(groups.x) * (u64(group_id.y) + u64(groups.y) * u64(group_id.z));
    let number: u64 = block_index * u64(block_threads) + u64(local_index);
    thread.fuel = inputs[0];
    thread.rounds = inputs[1];
    thread.capacity = inputs[2];
    thread.row = inputs[3];
    thread.first = number * 3lu * thread.capacity;
    let S_base: u64 = inputs[4];
    let S_length: u64 = inputs[5];
    let S_first: u64 = inputs[6];
    let A_base: u64 = inputs[7];
    let A_length: u64 = inputs[8];
    let A_first: u64 = inputs[9];
    let n: u64 = inputs[10];
    for (var cell: u32 = local_index; u64(cell) < S_length; cell = cell + block_threads) {
        atomicStore(&S[cell], atomicLoad(&memory[u32(S_base + block_index * S_length) + cell]));
    }
    workgroupBarrier(); storageBarrier();
    let index_0: u64 = u64(local_index);
    var x: u64 = 0lu;
    if begin(0u, index_0, A_length) {
        x = atomicLoad(&memory[cell_index(A_base + index_0)]);  // line 2
        record(0u, 0u, A_first, index_0, x);
    }
    let index_1: u64 = u64(local_index);
    let value: u64 = add_natural(1u, x, n);
    if begin(1u, index_1, S_length) {
        record(1u, 1u, S_first, index_1, value);
        atomicStore(&S[cell_index(index_1)], value);  // line 2
    }
    workgroupBarrier(); storageBarrier();  // line 3
    thread.phase = thread.phase + 1u;
    let i_end: u64 = n;
    for (var i: u64 = 0lu; i < i_end && spend(3u); i = i + 1lu) {
        let index_4: u64 = add_natural(4u, u64(local_index), i) % 4lu;
        var y: u64 = 0lu;
        if begin(4u, index_4, S_length) {
            y = atomicLoad(&S[cell_index(index_4)]);  // line 4
            record(4u, 0u, S_first, index_4, y);
        }
        let index_5: u64 = u64(local_index);
        let operand: u64 = y;
        var z: u64 = 0lu;
        if begin(5u, index_5, A_length) {
            loop {  // line 4
                let seen = atomicCompareExchangeWeak(&memory[cell_index(A_base + index_5)], z, add_natural(5u, z, operand));
                if seen.exchanged {
                    break;
                }
                z = seen.old_value;
            }
            record(5u, 3u, A_first, index_5, z);
        }
    }
    workgroupBarrier(); storageBarrier();
    for (var cell: u32 = local_index; u64(cell) < S_length; cell = cell + block_threads) {
        atomicStore(&memory[u32(S_base + block_index * S_length) + cell], atomicLoad(&S[cell]));
    }
    let result = 8u * u32(number);
    results[result + 0u] = thread.status;
    results[result + 1u] = thread.site;
    results[result + 2u] = thread.count;
    results[result + 3u] = thread.overflow;
    results[result + 4u] = thread.phase;
    results[result + 5u] = u32(thread.fuel);
    results[result + 6u] = u32(thread.index);
    results[result + 7u] = u32(thread.index >> 32u);
}
