// A pull with a block for each row: the threads take its neighbours in turns,
// and their sums are reduced in shared memory.
//
// babycuda: check --block 64 => drf
// babycuda: check --block 16 --grid 3 => drf

__global__ void pull(const int *row, const int *col, const float *in, float *out)
{
    __shared__ float part[1024];
    unsigned int t = threadIdx.x;
    int last = row[blockIdx.x + 1];
    float sum = 0.0f;
    for (int e = row[blockIdx.x] + (int)t; e < last; e += (int)blockDim.x)
        sum += in[col[e]];
    part[t] = sum;
    for (unsigned int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half)
            part[t] += part[t + half];
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}
