// The same scan with both buffers of fixed size 128 in a larger block: the
// end of one buffer is the start of the other.
//
// babycuda: check --block 128 => drf
// babycuda: check --block 100 => drf
// babycuda: check --block 129 => racy rw temp 26 28
// babycuda: check --block 256 => racy rw temp 26 26
// babycuda: check => racy rw temp 26 26

#define SIZE 128

__global__ void scan_hillis_steele(const float *in, float *out)
{
    __shared__ float temp[2 * SIZE];
    int tid = threadIdx.x;
    int pout = 0;
    int pin = 1;

    temp[tid] = in[tid];
    __syncthreads();

    for (int offset = 1; offset < SIZE; offset *= 2) {
        pout = 1 - pout;
        pin = 1 - pout;
        if (tid >= offset)
            temp[pout * SIZE + tid] = temp[pin * SIZE + tid] + temp[pin * SIZE + tid - offset];
        else
            temp[pout * SIZE + tid] = temp[pin * SIZE + tid];
        __syncthreads();
    }

    out[tid] = temp[pout * SIZE + tid];
}
