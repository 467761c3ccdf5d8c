// Makes the machine's step for an access (HiRace, Algorithm 1), unless the array has no such cell.
OUTLINE bool watch_KIND(
    const struct Monitor *monitor, SPACE volatile SHADOW *words, WORD cells, LONG index, WORD mode, WORD site, WORD array)
{
    if (index >= cells) {
        return monitor_reach(monitor, cells, index);
    }
    if (monitor->KIND_blind != 0) {
        monitor_note(monitor->findings, monitor->KIND_blind);
        return true;
    }
    const SHADOW own = RECORD;
    SPACE volatile SHADOW *word = words + index;
    SHADOW old = *word;
    for (;;) {
        const WORD state = (WORD)(old >> STATE_AT);
        const SHADOW differs = old ^ own;
        // Which group has both threads, and which barrier lies between.
        const WORD relation = SAME_THREAD ? 0u : SAME_WARP ? 1u : 2u;
        const WORD barrier = OTHER_BLOCK_CLOCK ? 2u : (OTHER_WARP_CLOCK && relation < 2u) ? 1u : 0u;
        const WORD label = OTHER_BLOCK ? 5u : 3u * barrier + relation;
        const WORD next = monitor_steps[(state * 4u + mode) * 16u + label];
        if (next >= 128u) {
            return true;
        }
        const SHADOW seen = SWAP(word, old, own | (SHADOW)next << STATE_AT);
        if (seen == old) {
            if (next == RACE && state != RACE) {
                monitor_found(monitor, array, (WORD)index, mode | state << 4, site, LAST_BLOCK, LAST_THREAD);
            }
            return true;
        }
        old = seen;
    }
}
