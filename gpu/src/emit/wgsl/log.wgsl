// Records an access.
fn record(site: u32, mode: u32, first: u64, index: u64, value: u64) {
    let entry = u32(thread.first + 3lu * u64(thread.count));
    entries[entry] = (u64(thread.phase) << 32u) | u64(site);
    entries[entry + 1u] = index;
    entries[entry + 2u] = value;
    thread.count = thread.count + 1u;
}
