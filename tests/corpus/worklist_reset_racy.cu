// The counter is reset without a barrier: another thread may have taken a slot
// before, which is then given out again. The reset races with the additions, too.
//
// babycuda: check --block 64 => racy at count 10 11 | unknown
// babycuda: check --block 1 --grid 1 => drf

__global__ void push(unsigned int *count, int *list)
{
    if (threadIdx.x == 0)
        *count = 0;
    unsigned int slot = atomicAdd(count, 1u);
    list[slot] = threadIdx.x;
}
