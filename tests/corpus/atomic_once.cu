// One thread only draws the number 0, so one thread only writes; unless the grid has
// so many threads that the counter comes back to 0.
// Race-free in one block, for a reason that needs the values of atomics.
//
// babycuda: check => racy ww winner 13 13 | unknown
// babycuda: check --grid 1 => drf
// babycuda: check --block 64 --grid 1 => drf

__global__ void once(unsigned int *tickets, int *winner)
{
    unsigned int ticket = atomicAdd(tickets, 1u);
    if (ticket == 0)
        winner[0] = threadIdx.x;
}
