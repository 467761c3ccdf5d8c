// A thread, as the words know it.
struct Monitor {
    GLOBAL WORD *findings;
    WORD block;
    WORD thread;
    WORD block_clock; // barriers of the block that it passed
    WORD warp_clock; // barriers of its warp since
    WORD global_blind; // flags: why its accesses of global memory are not watched for now
    WORD shared_blind;
    WORD fuel; // iterations left
    WORD rounds; // iterations of loops with barriers left
};

// Notes why there may be more races.
FUNCTION void monitor_note(GLOBAL WORD *findings, WORD flags)
{
    if ((*(GLOBAL volatile WORD *)&findings[1] & flags) != flags) {
        ATOMIC_OR(&findings[1], flags);
    }
}

// Writes down the first race of a cell, if there is room.
FUNCTION void monitor_found(
    const struct Monitor *monitor, WORD array, WORD index, WORD how, WORD site, WORD block, WORD thread)
{
    const WORD place = ATOMIC_ADD(&monitor->findings[0], 1u);
    if (place < monitor->findings[2]) {
        GLOBAL WORD *finding = monitor->findings + 4 + 8 * (LONG)place;
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
FUNCTION bool monitor_spend(struct Monitor *monitor)
{
    if (monitor->fuel == 0) {
        monitor_note(monitor->findings, 32u);
        return false;
    }
    monitor->fuel -= 1;
    return true;
}

// May the block go on with a loop that has barriers? All its threads get the same answer.
FUNCTION bool monitor_proceed(struct Monitor *monitor)
{
    if (monitor->rounds == 0) {
        monitor_note(monitor->findings, 32u);
        return false;
    }
    monitor->rounds -= 1;
    return true;
}

// May the thread access a cell that nobody watches?
FUNCTION bool monitor_reach(const struct Monitor *monitor, WORD cells, LONG index)
{
    if (index < cells) {
        return true;
    }
    monitor_note(monitor->findings, 16u);
    return false;
}

// It passes a barrier of its block: those of its warp count anew.
FUNCTION void pass_block(struct Monitor *monitor)
{
    monitor->block_clock += 1;
    monitor->warp_clock = 0;
    monitor->global_blind = monitor->global_blind & 3u | (monitor->block_clock > GLOBAL_BLOCK_CLOCK ? 1u : 0u);
    monitor->shared_blind = monitor->shared_blind & 3u | (monitor->block_clock > SHARED_BLOCK_CLOCK ? 1u : 0u);
}

// It passes a barrier of its warp.
FUNCTION void pass_warp(struct Monitor *monitor)
{
    monitor->warp_clock += 1;
    monitor->global_blind = monitor->global_blind & 3u | (monitor->warp_clock > GLOBAL_WARP_CLOCK ? 8u : 0u);
    monitor->shared_blind = monitor->shared_blind & 3u | (monitor->warp_clock > SHARED_WARP_CLOCK ? 8u : 0u);
}

// It passes a barrier of some lanes of its warp.
FUNCTION void pass_some(struct Monitor *monitor)
{
    monitor->global_blind |= 4u;
    monitor->shared_blind |= 4u;
}
