// The bitonic sort with a barrier after every stage in place of every step.
//
// babycuda: check => racy rw s 20 24
// babycuda: check --block 256 => racy rw s 20 24
// babycuda: check --block 256 => racy ww s 23 24
// babycuda: check --block 2 => drf

__global__ void bitonic_sort(float *data)
{
    extern __shared__ float s[];
    unsigned int i = threadIdx.x;

    s[i] = data[i];
    __syncthreads();

    for (unsigned int k = 2; k <= blockDim.x; k *= 2) {
        for (unsigned int j = k / 2; j > 0; j /= 2) {
            unsigned int ixj = i ^ j;
            if (ixj > i) {
                float low = fminf(s[i], s[ixj]);
                float high = fmaxf(s[i], s[ixj]);
                bool up = (i & k) == 0;
                s[i] = up ? low : high;
                s[ixj] = up ? high : low;
            }
        }
        __syncthreads();
    }

    data[i] = s[i];
}
