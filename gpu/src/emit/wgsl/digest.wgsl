// The step and output function of SplitMix64.
fn mix64(word: u64) -> u64 {
    var z = word + 0x9e3779b97f4a7c15lu;
    z = (z ^ (z >> 30u)) * 0xbf58476d1ce4e5b9lu;
    z = (z ^ (z >> 27u)) * 0x94d049bb133111eblu;
    return z ^ (z >> 31u);
}

// Records an access.
fn record(site: u32, mode: u32, first: u64, index: u64, value: u64) {
    let term = mix64(thread.who ^ ((u64(thread.phase) << 3u) | u64(mode)));
    atomicAdd(&entries[u32(u64(thread.phase) * thread.row + first + index)], term);
    thread.count = thread.count + 1u;
}
