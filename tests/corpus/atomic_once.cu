// One thread only draws the number 0, so one thread only writes.
// Race-free, for a reason that needs the values of atomics.
//
// babycuda: check => drf
// babycuda: check --block 64 => drf

__global__ void once(unsigned int *tickets, int *winner)
{
    unsigned int ticket = atomicAdd(tickets, 1u);
    if (ticket == 0)
        winner[0] = threadIdx.x;
}
