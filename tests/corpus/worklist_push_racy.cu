// Like worklist_push.cu, but a thread writes two slots and takes only one: its
// second is the next thread's first.
//
// babycuda: check --block 64 => racy ww list 13 14 | unknown
// babycuda: check --block 32 --grid 2 --param n=64 => racy ww list 13 14 | unknown
// babycuda: check --block 1 --grid 1 => drf

__global__ void push(unsigned int *count, int *list, const int *degree, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && degree[i] > 0) {
        unsigned int slot = atomicAdd(count, 1u);
        list[slot] = i;
        list[slot + 1] = degree[i];
    }
}
