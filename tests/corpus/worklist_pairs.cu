// Every thread takes two slots of the worklist at once, and writes both.
// Race-free while the counter is advanced by less than 2^32 in all.
//
// babycuda: check => drf
// babycuda: check --block 128 --grid 64 => drf

__global__ void push(unsigned int *count, int *list, const int *degree, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && degree[i] > 0) {
        unsigned int slot = atomicAdd(count, 2u);
        list[slot] = i;
        list[slot + 1] = degree[i];
    }
}
