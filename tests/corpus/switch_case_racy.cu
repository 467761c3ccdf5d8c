// Four groups of threads, and a case without its `break`: group 0 also runs
// the statements of group 1.
//
// babycuda: check --block 128 => racy ww table 17 17
// babycuda: check => racy ww table 17 17
// babycuda: check --block 1 => drf

__global__ void quarters(int *out)
{
    __shared__ int table[4][256];
    int lane = threadIdx.x / 4;

    switch (threadIdx.x % 4) {
    case 0:
        table[0][lane] = 1;
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
