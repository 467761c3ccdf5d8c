// A sentinel in front of the array: cell -1 is a cell like any other.
//
// babycuda: check => racy ww a 11 11
// babycuda: check --block 4 => racy ww a 11 11
// babycuda: check --block 2 => drf

__global__ void shift_down(int *a, const int *b)
{
    int i = threadIdx.x;
    int place = i < 2 ? i : -1;
    a[place] = b[i];
}
