// Both pointers of a step are of the same buffer.
//
// babycuda: check --block 256 --param steps=2 => racy rw even 15 15
// babycuda: check --block 256 --param steps=0 => drf

__global__ void smooth(float *line, int steps)
{
    __shared__ float even[256], odd[256];
    float *buffers[2] = {even, odd};
    int t = threadIdx.x;
    even[t] = line[t];
    __syncthreads();
    for (int s = 0; s < steps; s++) {
        float *from = buffers[s & 1], *to = buffers[s & 1];
        to[t] = 0.5f * (from[t] + from[(t + 1) % 256]);
        __syncthreads();
    }
    line[t] = buffers[steps & 1][t];
}
