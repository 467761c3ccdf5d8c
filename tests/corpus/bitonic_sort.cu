// A whole bitonic sort in shared memory, a barrier after every step.
//
// babycuda: check => drf
// babycuda: check --block 256 => drf
// babycuda: check --block 100 => drf

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
            __syncthreads();
        }
    }

    data[i] = s[i];
}
