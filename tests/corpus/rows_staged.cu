// A pull whose row offsets are staged in shared memory: where a row ends is
// written by another thread, before a barrier.
//
// babycuda: check --block 16 => drf
// babycuda: check --block 4 => drf

__global__ void pull(const int *row, const int *col, const float *in, float *out)
{
    __shared__ int s[1025];
    unsigned int t = threadIdx.x;
    s[t] = row[t];
    if (t == 0)
        s[blockDim.x] = row[blockDim.x];
    __syncthreads();
    float sum = 0.0f;
    for (int e = s[t]; e < s[t + 1]; e++)
        sum += in[col[e]];
    out[t] = sum;
}
