// Slots of a ring of 64: two threads get the same one if there are more than 64.
//
// babycuda: check --block 64 --grid 1 => drf
// babycuda: check --block 64 --grid 2 => racy ww ring 10 10 | unknown
// babycuda: check --block 96 --grid 1 => racy ww ring 10 10 | unknown

__global__ void push(unsigned int *count, int *ring)
{
    unsigned int slot = atomicAdd(count, 1u);
    ring[slot % 64] = threadIdx.x;
}
