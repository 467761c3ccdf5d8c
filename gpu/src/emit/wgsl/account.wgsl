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
    if u64(ROOM) >= thread.capacity {
        return fault(3u, site);
    }
    return true;
}
