// Stream compaction: an atomic counter hands out places, and no place twice.
// Race-free, for a reason that needs the values of atomics.
//
// babycuda: check => drf
// babycuda: check --block 64 --param n=64 => drf

__global__ void compact(const int *in, int *out, int *count, int n)
{
    int i = threadIdx.x;
    if (i < n && in[i] != 0) {
        int place = atomicAdd(count, 1);
        out[place] = in[i];
    }
}
