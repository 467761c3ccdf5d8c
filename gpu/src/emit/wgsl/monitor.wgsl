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
    monitor.global_blind = (monitor.global_blind & 3u) | select(0u, 1u, monitor.block_clock > GLOBAL_BLOCK_CLOCK);
    monitor.shared_blind = (monitor.shared_blind & 3u) | select(0u, 1u, monitor.block_clock > SHARED_BLOCK_CLOCK);
}

// It passes a barrier of its warp.
fn pass_warp() {
    monitor.warp_clock = monitor.warp_clock + 1u;
    monitor.global_blind = (monitor.global_blind & 3u) | select(0u, 8u, monitor.warp_clock > GLOBAL_WARP_CLOCK);
    monitor.shared_blind = (monitor.shared_blind & 3u) | select(0u, 8u, monitor.warp_clock > SHARED_WARP_CLOCK);
}

// It passes a barrier of some lanes of its warp.
fn pass_some() {
    monitor.global_blind = monitor.global_blind | 4u;
    monitor.shared_blind = monitor.shared_blind | 4u;
}
