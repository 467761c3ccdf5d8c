// A thread's account of its run.
struct Thread {
    WORD status; // 0, or the fault that ended its accesses
    WORD site; // the statement of the fault
    WORD phase;
    WORD count; // accesses recorded
    WORD overflow; // 0, or 1 + the statement of the first overflow
    LONG fuel; // accesses and iterations left
    LONG rounds; // iterations of loops with barriers left
    LONG capacity; // accesses, or phases, that there is room for
    LONG row; // cells of a phase
    LONG index; // the index that was outside its array
    LONG who; // block and thread, mixed
    GLOBAL LONG *entries;
};

// Ends a thread's accesses. It goes on to every barrier, as others wait for it there.
FUNCTION bool fault(struct Thread *thread, WORD status, WORD site)
{
    if (thread->status == 0) {
        thread->status = status;
        thread->site = site;
    }
    return false;
}

// May the thread go on?
FUNCTION bool spend(struct Thread *thread, WORD site)
{
    if (thread->status != 0) {
        return false;
    }
    if (thread->fuel == 0) {
        return fault(thread, 2u, site);
    }
    thread->fuel -= 1;
    return true;
}

// May the block go on with a loop that has barriers? All its threads get the same answer.
FUNCTION bool proceed(struct Thread *thread, WORD site)
{
    if (thread->rounds == 0) {
        return fault(thread, 2u, site);
    }
    thread->rounds -= 1;
    return true;
}

// May the thread access a cell?
FUNCTION bool begin(struct Thread *thread, WORD site, LONG index, LONG length)
{
    if (!spend(thread, site)) {
        return false;
    }
    if (index >= length) {
        thread->index = index;
        return fault(thread, 4u, site);
    }
    return ROOM < thread->capacity ? true : fault(thread, 3u, site);
}
