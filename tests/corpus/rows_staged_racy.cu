// As rows_staged.cu without the barrier: a thread reads offsets that others
// write.
//
// babycuda: check --block 16 => racy rw s 11 15
// babycuda: check --block 1 => drf

__global__ void pull(const int *row, const int *col, const float *in, float *out)
{
    __shared__ int s[1025];
    unsigned int t = threadIdx.x;
    s[t] = row[t];
    if (t == 0)
        s[blockDim.x] = row[blockDim.x];
    float sum = 0.0f;
    for (int e = s[t]; e < s[t + 1]; e++)
        sum += in[col[e]];
    out[t] = sum;
}
