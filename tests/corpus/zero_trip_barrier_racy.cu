// The only barrier is in a loop that may run zero times: then the accesses
// before and after the loop share a phase.
//
// babycuda: check --param n=4 => drf
// babycuda: check --block 32 --param n=4 => drf
// babycuda: check --block 32 --param n=0 => racy rw s 15 20
// babycuda: check => racy rw s 15 20

__global__ void rotate_sum(const int *in, int *out, int n)
{
    __shared__ int s[1024];
    int t = threadIdx.x;
    int sum = 0;

    s[t] = in[t];
    for (int k = 0; k < n; k++) {
        __syncthreads();
        sum += s[(t + k) % blockDim.x];
    }
    out[t] = sum + s[(t + 1) % blockDim.x];
}
