// A scatter whose place is found through two index arrays: equal places are
// possible, whatever the first of them holds.
//
// babycuda: check => racy ww out 11 11
// babycuda: check --block 16 --param n=16 => racy ww out 11 11

__global__ void scatter(const float *in, const int *place, const int *kind, float *out, int n)
{
    int i = threadIdx.x;
    if (i < n)
        out[place[kind[i]]] = in[i];
}
