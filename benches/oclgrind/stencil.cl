// Each cell becomes the sum of its neighbours, 64 times; two barriers each.
#include "both.h"

KERNEL void stencil(GLOBAL int *in, GLOBAL int *out) {
    SHARED int s[258];
    int t = THREAD;
    s[t + 1] = in[BLOCK * 256 + t];
    if (t == 0)
        s[0] = 0;
    if (t == 255)
        s[257] = 0;
    BARRIER;
    for (int round = 0; round < 64; round++) {
        int sum = s[t] + s[t + 1] + s[t + 2];
        BARRIER;
        s[t + 1] = sum;
        BARRIER;
    }
    out[BLOCK * 256 + t] = s[t + 1];
}
