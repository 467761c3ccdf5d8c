// A sum of each block, by halves: 8 barriers of 256 threads, 32 times.
#include "both.h"

KERNEL void reduction(GLOBAL int *in, GLOBAL int *out) {
    SHARED int s[256];
    int t = THREAD;
    for (int round = 0; round < 32; round++) {
        s[t] = in[BLOCK * 256 + t] + round;
        BARRIER;
        for (int step = 128; step > 0; step /= 2) {
            if (t < step)
                s[t] += s[t + step];
            BARRIER;
        }
        if (t == 0)
            out[BLOCK] = s[0];
        BARRIER;
    }
}
