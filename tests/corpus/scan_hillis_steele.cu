// Inclusive scan of one block, two buffers that change roles at every step.
//
// babycuda: check => drf
// babycuda: check --block 256 => drf
// babycuda: check --block 100 => drf

__global__ void scan_hillis_steele(const float *in, float *out)
{
    extern __shared__ float temp[];
    int n = blockDim.x;
    int tid = threadIdx.x;
    int pout = 0;
    int pin = 1;

    temp[tid] = in[tid];
    __syncthreads();

    for (int offset = 1; offset < n; offset *= 2) {
        pout = 1 - pout;
        pin = 1 - pout;
        if (tid >= offset)
            temp[pout * n + tid] = temp[pin * n + tid] + temp[pin * n + tid - offset];
        else
            temp[pout * n + tid] = temp[pin * n + tid];
        __syncthreads();
    }

    out[tid] = temp[pout * n + tid];
}
