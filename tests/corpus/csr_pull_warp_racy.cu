// As csr_pull_warp.cu without the barrier: the first lane reads sums that the
// others may not have written yet.
//
// babycuda: check --block 64 => racy rw part 16 19
// babycuda: check --block 32,4 => racy rw part 16 19

__global__ void pull(const int *row, const int *col, const float *in, float *out)
{
    __shared__ float part[1024];
    unsigned int t = threadIdx.y * blockDim.x + threadIdx.x;
    unsigned int lane = t % 32;
    unsigned int v = t / 32;
    float sum = 0.0f;
    for (int e = row[v] + (int)lane; e < row[v + 1]; e += 32)
        sum += in[col[e]];
    part[t] = sum;
    if (lane == 0) {
        for (unsigned int i = 1; i < 32; i++)
            sum += part[t + i];
        out[v] = sum;
    }
}
