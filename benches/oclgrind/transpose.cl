// 16 by 16 tiles, turned 64 times: global memory to shared memory to global memory.
#include "both.h"

KERNEL void transpose(GLOBAL int *in, GLOBAL int *out) {
    SHARED int s[256];
    int t = THREAD;
    for (int round = 0; round < 64; round++) {
        s[t] = in[BLOCK * 256 + t];
        BARRIER;
        out[BLOCK * 256 + t] = s[t % 16 * 16 + t / 16];
        BARRIER;
    }
}
