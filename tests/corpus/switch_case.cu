// Four groups of threads fill four quarters of a shared table.
//
// babycuda: check --block 128 => drf
// babycuda: check => drf

__global__ void quarters(int *out)
{
    __shared__ int table[4][256];
    int lane = threadIdx.x / 4;

    switch (threadIdx.x % 4) {
    case 0:
        table[0][lane] = 1;
        break;
    case 1:
        table[1][lane] = 2;
        break;
    case 2:
        table[2][lane] = 3;
        break;
    default:
        table[3][lane] = 4;
        break;
    }
    __syncthreads();
    out[threadIdx.x] = table[threadIdx.x % 4][lane];
}
