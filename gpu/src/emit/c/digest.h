// The step and output function of SplitMix64.
FUNCTION LONG mix64(LONG word)
{
    LONG z = word + 0x9e3779b97f4a7c15SUFFIX;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9SUFFIX;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebSUFFIX;
    return z ^ (z >> 31);
}

// Records an access.
FUNCTION void record(
    struct Thread *thread, WORD site, WORD mode, LONG first, LONG index, LONG value)
{
    const LONG term = mix64(thread->who ^ ((LONG)thread->phase << 3 | mode));
    ADD(&thread->entries[thread->phase * thread->row + first + index], term);
    thread->count += 1;
}
