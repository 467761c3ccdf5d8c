// Makes the machine's step for an access (HiRace, Algorithm 1), unless the array has no such cell.
fn watch_KIND(words: u32, cells: u32, index: u32, mode: u32, site: u32, array_number: u32) -> bool {
    if !monitor_reach(cells, index) {
        return false;
    }
    if monitor.KIND_blind != 0u {
        monitor_note(monitor.KIND_blind);
        return true;
    }
    let own: SHADOW = RECORD;
    let word = words + index;
    var old: SHADOW = atomicLoad(&BUFFER[word]);
    loop {
        let state = u32(old >> STATE_ATu);
        let differs: SHADOW = old ^ own;
        // Which group has both threads, and which barrier lies between.
        let relation = select(select(2u, 1u, SAME_WARP), 0u, SAME_THREAD);
        let barrier = select(select(0u, 1u, OTHER_WARP_CLOCK && relation < 2u), 2u, OTHER_BLOCK_CLOCK);
        let label = select(3u * barrier + relation, 5u, OTHER_BLOCK);
        let next = monitor_step((state * 4u + mode) * 16u + label);
        if next >= 128u {
            return true;
        }
        let seen = atomicCompareExchangeWeak(&BUFFER[word], old, own | (SHADOW(next) << STATE_ATu));
        if seen.exchanged {
            if next == RACE && state != RACE {
                monitor_found(array_number, index, mode | (state << 4u), site, LAST_BLOCK, LAST_THREAD);
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
