// Records an access.
FUNCTION void record(
    struct Thread *thread, WORD site, WORD mode, LONG first, LONG index, LONG value)
{
    GLOBAL LONG *entry = thread->entries + 3 * (LONG)thread->count;
    entry[0] = (LONG)thread->phase << 32 | site;
    entry[1] = index;
    entry[2] = value;
    thread->count += 1;
}
