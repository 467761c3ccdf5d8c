// As csr_pull_block.cu with the barrier behind each step only: the first step
// does not wait for the sums.
//
// babycuda: check --block 64 => racy rw part 15 18
// babycuda: check --block 16 --grid 3 => racy rw part 15 18

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
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}
