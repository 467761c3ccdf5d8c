// All threads write the same value to the same cell: a race all the same.
//
// babycuda: check => racy ww done 10 10
// babycuda: check --block 32 => racy ww done 10 10
// babycuda: check --block 1 => drf

__global__ void finish(float *a, int *done)
{
    a[threadIdx.x] = 0.0f;
    done[0] = 1;
}
