// Every thread with something to do takes a slot of the worklist, and writes it.
// Race-free, because no two additions of 1 to a counter yield the same number
// while there are fewer than 2^32 of them.
//
// babycuda: check => drf
// babycuda: check --block 128 --grid 64 => drf
// babycuda: check --block 128 --grid 1 --param n=100 => drf

__global__ void push(unsigned int *count, int *list, const int *degree, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && degree[i] > 0) {
        unsigned int slot = atomicAdd(count, 1u);
        list[slot] = i;
    }
}
