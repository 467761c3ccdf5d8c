// A gather in place: a thread reads a cell that another writes.
//
// babycuda: check => racy rw data 9 9
// babycuda: check --block 32 => racy rw data 9 9
// babycuda: check --block 1 => drf

__global__ void gather(float *data, const int *index)
{
    data[threadIdx.x] = data[index[threadIdx.x]];
}
