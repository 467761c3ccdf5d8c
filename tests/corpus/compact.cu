// Stream compaction: an atomic counter hands out places, and no place twice.
// Race-free in one block, for a reason that needs the values of atomics; the threads of
// the largest grids draw a place twice.
//
// babycuda: check => racy ww out 14 14 | unknown
// babycuda: check --grid 1 => drf
// babycuda: check --block 64 --grid 1 --param n=64 => drf

__global__ void compact(const int *in, int *out, int *count, int n)
{
    int i = threadIdx.x;
    if (i < n && in[i] != 0) {
        int place = atomicAdd(count, 1);
        out[place] = in[i];
    }
}
