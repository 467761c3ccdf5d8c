// Two buffers that change places from step to step, in an array of pointers.
//
// babycuda: check --block 256 => drf
// babycuda: check --block 64 => drf

__global__ void smooth(float *line, int steps)
{
    __shared__ float even[256], odd[256];
    float *buffers[2] = {even, odd};
    int t = threadIdx.x;
    even[t] = line[t];
    __syncthreads();
    for (int s = 0; s < steps; s++) {
        float *from = buffers[s & 1], *to = buffers[(s + 1) & 1];
        int next = t + 1 < blockDim.x ? t + 1 : t;
        to[t] = 0.5f * (from[t] + from[next]);
        __syncthreads();
    }
    line[t] = buffers[steps & 1][t];
}
