// Atomic updates of a table that all blocks share: no barrier, 64 updates a thread.
#include "both.h"

KERNEL void histogram(GLOBAL int *in, GLOBAL int *out) {
    int t = THREAD;
    for (int round = 0; round < 64; round++)
        ATOMIC_ADD(&out[(t * 7 + round) % 256], in[BLOCK * 256 + t]);
}
