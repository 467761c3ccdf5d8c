// Kernel `turn`, printed by babycuda in WGSL.
// Launch: blocks of 4 x 1 x 1 threads.
// Naturals are 64 bits wide here and wrap around; what is stored is reduced to
// the range of the array's elements.
// Integers narrower than 32 bits are kept in 32.
// Monitored: a word for each cell says how it was accessed, and who did so last.
// Behind the plain kernel's arguments: words of 32 bits, at first 0, for the cells of the global arrays that are
// watched, one array behind the other; 32-bit numbers of cells of all global arrays; and the findings,
// 32-bit words: the racy cells (0), flags (0), room for races, iterations that a thread may make; then 8 a race:
// array, index, block, thread, statement, access + 16 * state before, block and thread of the last accessor.
// Limits of words of global memory: 4096 blocks, 4 threads of a block, 8191 barriers of a block, 0 of a warp between.
// Limits of words of shared memory: 4 threads of a block, 33554431 barriers of a block, 0 of a warp between.
// Beyond them a flag says that there may be more races than are found.

const block_x: u32 = 4u;
const block_y: u32 = 1u;
const block_z: u32 = 1u;

@group(0) @binding(0) var<storage, read_write> A: array<atomic<u64>>;

struct Parameters {
    n: u64,
}

@group(0) @binding(1) var<storage, read> parameters: Parameters;
@group(0) @binding(2) var<storage, read_write> monitor_words: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read> monitor_sizes: array<u32>;
@group(0) @binding(4) var<storage, read_write> monitor_findings: array<atomic<u32>>;
var<workgroup> S: array<u64, 4>;
var<workgroup> monitor_shared: array<atomic<u32>, 4>;

// The machine stands in monitor_sizes behind the sizes: the next state by state, access (read, write, atomic of
// the block, of the device) and label; 128: the word stays. Four a word, the first lowest:
// 0x02020202 0x02020202 0x01010102 0x01010101 0x03030303 0x03030303 0x01010103 0x01010101
// 0x04040404 0x04040404 0x01010104 0x01010101 0x05050505 0x05050505 0x01010105 0x01010101
// 0x80808080 0x80808080 0x01010180 0x01010101 0x80808080 0x80808080 0x01010180 0x01010101
// 0x80808080 0x80808080 0x01010180 0x01010101 0x80808080 0x80808080 0x01010180 0x01010101
// 0x02070680 0x02020802 0x01010102 0x01010101 0x03010103 0x03030103 0x01010103 0x01010101
// 0x09010103 0x04040109 0x01010104 0x01010101 0x09010103 0x04040109 0x01010104 0x01010101
// 0x0a010180 0x0b0b010a 0x0101010b 0x01010101 0x03010180 0x03030103 0x01010103 0x01010101
// 0x09010180 0x04040109 0x01010104 0x01010101 0x09010180 0x04040109 0x01010104 0x01010101
// 0x0a010103 0x0b0b010a 0x0101010b 0x01010101 0x03010103 0x03030103 0x01010103 0x01010101
// 0x040d0c80 0x04040104 0x01010104 0x01010101 0x040d0c80 0x04040104 0x01010104 0x01010101
// 0x0a010103 0x0b0b010a 0x0101010b 0x01010101 0x03010103 0x03030103 0x01010103 0x01010101
// 0x040d0c04 0x04040104 0x01010104 0x01010101 0x050f0e80 0x05051005 0x01010105 0x01010101
// 0x02078080 0x02020802 0x01010102 0x01010101 0x03010101 0x03030103 0x01010103 0x01010101
// 0x09010101 0x04040109 0x01010104 0x01010101 0x09010101 0x04040109 0x01010104 0x01010101
// 0x80808080 0x02020880 0x01010102 0x01010101 0x01010101 0x03030101 0x01010103 0x01010101
// 0x01010101 0x04040101 0x01010104 0x01010101 0x01010101 0x04040101 0x01010104 0x01010101
// 0x80808080 0x80808080 0x01010180 0x01010101 0x01010101 0x01010101 0x01010101 0x01010101
// 0x01010101 0x01010101 0x01010101 0x01010101 0x01010101 0x01010101 0x01010101 0x01010101
// 0x0a010103 0x0b0b010a 0x0101010b 0x01010101 0x03010103 0x03030103 0x01010103 0x01010101
// 0x09011180 0x04040109 0x01010104 0x01010101 0x09011180 0x04040109 0x01010104 0x01010101
// 0x0a011280 0x0b0b010a 0x0101010b 0x01010101 0x03010103 0x03030103 0x01010103 0x01010101
// 0x09010103 0x04040109 0x01010104 0x01010101 0x09010103 0x04040109 0x01010104 0x01010101
// 0x0b141380 0x0b0b010b 0x0101010b 0x01010101 0x03010103 0x03030103 0x01010103 0x01010101
// 0x09010103 0x04040109 0x01010104 0x01010101 0x09010103 0x04040109 0x01010104 0x01010101
// 0x0a010101 0x0b0b010a 0x0101010b 0x01010101 0x03010101 0x03030103 0x01010103 0x01010101
// 0x040d8080 0x04040104 0x01010104 0x01010101 0x040d8080 0x04040104 0x01010104 0x01010101
// 0x01010101 0x0b0b0101 0x0101010b 0x01010101 0x01010101 0x03030101 0x01010103 0x01010101
// 0x80808080 0x04040180 0x01010104 0x01010101 0x80808080 0x04040180 0x01010104 0x01010101
// 0x0a010101 0x0b0b010a 0x0101010b 0x01010101 0x03010101 0x03030103 0x01010103 0x01010101
// 0x040d0c0c 0x04040104 0x01010104 0x01010101 0x050f8080 0x05051005 0x01010105 0x01010101
// 0x01010101 0x0b0b0101 0x0101010b 0x01010101 0x01010101 0x03030101 0x01010103 0x01010101
// 0x0d0d0d0d 0x0404010d 0x01010104 0x01010101 0x80808080 0x05051080 0x01010105 0x01010101
// 0x01010101 0x01010101 0x01010101 0x01010101 0x01010101 0x01010101 0x01010101 0x01010101
// 0x01010101 0x01010101 0x01010101 0x01010101 0x80808080 0x80808080 0x01010180 0x01010101
// 0x0a010101 0x0b0b010a 0x0101010b 0x01010101 0x03010101 0x03030103 0x01010103 0x01010101
// 0x09018080 0x04040109 0x01010104 0x01010101 0x09018080 0x04040109 0x01010104 0x01010101
// 0x0a018080 0x0b0b010a 0x0101010b 0x01010101 0x03010101 0x03030103 0x01010103 0x01010101
// 0x09010101 0x04040109 0x01010104 0x01010101 0x09010101 0x04040109 0x01010104 0x01010101
// 0x0b148080 0x0b0b010b 0x0101010b 0x01010101 0x03010101 0x03030103 0x01010103 0x01010101
// 0x09010101 0x04040109 0x01010104 0x01010101 0x09010101 0x04040109 0x01010104 0x01010101
// 0x80808080 0x0b0b0180 0x0101010b 0x01010101 0x01010101 0x03030101 0x01010103 0x01010101
// 0x01010101 0x04040101 0x01010104 0x01010101 0x01010101 0x04040101 0x01010104 0x01010101

fn monitor_step(place: u32) -> u32 {
    return (monitor_sizes[1u + (place >> 2u)] >> ((place & 3u) * 8u)) & 255u;
}

// A thread, as the words know it.
struct Monitor {
    block: u32,
    thread: u32,
    block_clock: u32, // barriers of the block that it passed
    warp_clock: u32, // barriers of its warp since
    global_blind: u32, // flags: why its accesses of global memory are not watched for now
    shared_blind: u32,
    fuel: u32, // iterations left
    rounds: u32, // iterations of loops with barriers left
}

var<private> monitor: Monitor;

// Notes why there may be more races.
fn monitor_note(flags: u32) {
    if (atomicLoad(&monitor_findings[1]) & flags) != flags {
        atomicOr(&monitor_findings[1], flags);
    }
}

// Writes down the first race of a cell, if there is room.
fn monitor_found(array_number: u32, index: u32, how: u32, site: u32, block: u32, thread: u32) {
    let place = atomicAdd(&monitor_findings[0], 1u);
    if place < atomicLoad(&monitor_findings[2]) {
        let finding = 4u + 8u * place;
        atomicStore(&monitor_findings[finding], array_number);
        atomicStore(&monitor_findings[finding + 1u], index);
        atomicStore(&monitor_findings[finding + 2u], monitor.block);
        atomicStore(&monitor_findings[finding + 3u], monitor.thread);
        atomicStore(&monitor_findings[finding + 4u], site);
        atomicStore(&monitor_findings[finding + 5u], how);
        atomicStore(&monitor_findings[finding + 6u], block);
        atomicStore(&monitor_findings[finding + 7u], thread);
    }
}

// May the thread go on with a loop, or an access?
fn monitor_spend() -> bool {
    if monitor.fuel == 0u {
        monitor_note(32u);
        return false;
    }
    monitor.fuel = monitor.fuel - 1u;
    return true;
}

// May the block go on with a loop that has barriers? All its threads get the same answer.
fn monitor_proceed() -> bool {
    if monitor.rounds == 0u {
        monitor_note(32u);
        return false;
    }
    monitor.rounds = monitor.rounds - 1u;
    return true;
}

// May the thread access a cell that nobody watches?
fn monitor_reach(cells: u32, index: u32) -> bool {
    if index < cells {
        return monitor_spend();
    }
    monitor_note(16u);
    return false;
}

// It passes a barrier of its block: those of its warp count anew.
fn pass_block() {
    monitor.block_clock = monitor.block_clock + 1u;
    monitor.warp_clock = 0u;
    monitor.global_blind = (monitor.global_blind & 3u) | select(0u, 1u, monitor.block_clock > 8191u);
    monitor.shared_blind = (monitor.shared_blind & 3u) | select(0u, 1u, monitor.block_clock > 33554431u);
}

// It passes a barrier of its warp.
fn pass_warp() {
    monitor.warp_clock = monitor.warp_clock + 1u;
    monitor.global_blind = (monitor.global_blind & 3u) | select(0u, 8u, monitor.warp_clock > 0u);
    monitor.shared_blind = (monitor.shared_blind & 3u) | select(0u, 8u, monitor.warp_clock > 0u);
}

// It passes a barrier of some lanes of its warp.
fn pass_some() {
    monitor.global_blind = monitor.global_blind | 4u;
    monitor.shared_blind = monitor.shared_blind | 4u;
}

// Makes the machine's step for an access (HiRace, Algorithm 1), unless the array has no such cell.
fn watch_global(words: u32, cells: u32, index: u32, mode: u32, site: u32, array_number: u32) -> bool {
    if !monitor_reach(cells, index) {
        return false;
    }
    if monitor.global_blind != 0u {
        monitor_note(monitor.global_blind);
        return true;
    }
    let own: u32 = u32(monitor.thread) | (u32(monitor.block_clock) << 2u) | (u32(monitor.block) << 15u);
    let word = words + index;
    var old: u32 = atomicLoad(&monitor_words[word]);
    loop {
        let state = u32(old >> 27u);
        let differs: u32 = old ^ own;
        // Which group has both threads, and which barrier lies between.
        let relation = select(select(2u, 1u, (differs & 0x0u) == 0u), 0u, (differs & 0x3u) == 0u);
        let barrier = select(select(0u, 1u, false && relation < 2u), 2u, (differs & 0x7ffcu) != 0u);
        let label = select(3u * barrier + relation, 5u, (differs & 0x7ff8000u) != 0u);
        let next = monitor_step((state * 4u + mode) * 16u + label);
        if next >= 128u {
            return true;
        }
        let seen = atomicCompareExchangeWeak(&monitor_words[word], old, own | (u32(next) << 27u));
        if seen.exchanged {
            if next == 1u && state != 1u {
                monitor_found(array_number, index, mode | (state << 4u), site, u32((old >> 15u) & 4095u), u32(old & 3u));
            }
            return true;
        }
        old = seen.old_value;
        // Each turn is an iteration, of which some devices allow few.
        if !monitor_spend() {
            return false;
        }
    }
    return false;
}

// Makes the machine's step for an access (HiRace, Algorithm 1), unless the array has no such cell.
fn watch_shared(words: u32, cells: u32, index: u32, mode: u32, site: u32, array_number: u32) -> bool {
    if !monitor_reach(cells, index) {
        return false;
    }
    if monitor.shared_blind != 0u {
        monitor_note(monitor.shared_blind);
        return true;
    }
    let own: u32 = u32(monitor.thread) | (u32(monitor.block_clock) << 2u);
    let word = words + index;
    var old: u32 = atomicLoad(&monitor_shared[word]);
    loop {
        let state = u32(old >> 27u);
        let differs: u32 = old ^ own;
        // Which group has both threads, and which barrier lies between.
        let relation = select(select(2u, 1u, (differs & 0x0u) == 0u), 0u, (differs & 0x3u) == 0u);
        let barrier = select(select(0u, 1u, false && relation < 2u), 2u, (differs & 0x7fffffcu) != 0u);
        let label = select(3u * barrier + relation, 5u, false);
        let next = monitor_step((state * 4u + mode) * 16u + label);
        if next >= 128u {
            return true;
        }
        let seen = atomicCompareExchangeWeak(&monitor_shared[word], old, own | (u32(next) << 27u));
        if seen.exchanged {
            if next == 1u && state != 1u {
                monitor_found(array_number, index, mode | (state << 4u), site, monitor.block, u32(old & 3u));
            }
            return true;
        }
        old = seen.old_value;
        // Each turn is an iteration, of which some devices allow few.
        if !monitor_spend() {
            return false;
        }
    }
    return false;
}

fn cell_index(index: u64) -> u32 {
    return select(0xffffffffu, u32(index), index < 0xfffffffflu);
}

@compute @workgroup_size(block_x, block_y, block_z)
fn turn(
    @builtin(local_invocation_id) local_id: vec3<u32>,
    @builtin(local_invocation_index) local_index: u32,
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    monitor.block = group_id.x + groups.x * (group_id.y + groups.y * group_id.z);
    monitor.thread = local_index;
    monitor.global_blind = select(0u, 2u, monitor.block > 4095u || local_index > 3u);
    monitor.shared_blind = select(0u, 2u, local_index > 3u);
    monitor.fuel = atomicLoad(&monitor_findings[3]);
    monitor.rounds = monitor.fuel;
    let S_length: u32 = 4u;
    let S_first: u32 = 0u;
    let A_length: u32 = monitor_sizes[0];
    let A_first: u32 = 0u;
    let index_0: u32 = local_index;
    var x: u64 = 0lu;
    if watch_global(A_first, A_length, index_0, 0u, 0u, 1u) {
        x = atomicLoad(&A[index_0]);  // line 2
    }
    let value: u64 = x + parameters.n;
    let index_1: u32 = local_index;
    if watch_shared(S_first, S_length, index_1, 1u, 1u, 0u) {
        S[index_1] = value;  // line 2
    }
    workgroupBarrier(); storageBarrier();  // line 3
    pass_block();
    let i_end: u64 = parameters.n;
    for (var i: u64 = 0lu; i < i_end && monitor_spend(); i = i + 1lu) {
        let index_4: u64 = (u64(local_index) + i) % 4lu;
        var y: u64 = 0lu;
        if watch_shared(S_first, S_length, cell_index(index_4), 0u, 4u, 0u) {
            y = S[cell_index(index_4)];  // line 4
        }
        let operand: u64 = y;
        var z: u64 = 0lu;
        let index_5: u32 = local_index;
        if watch_global(A_first, A_length, index_5, 3u, 5u, 1u) {
            z = atomicAdd(&A[index_5], operand);  // line 4
        }
    }
}
