// A pull with a warp for each row: the lanes' sums meet in shared memory, and
// the first lane adds them up behind a barrier.
//
// babycuda: check --block 64 => drf
// babycuda: check --block 32,4 => drf

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
    __syncthreads();
    if (lane == 0) {
        for (unsigned int i = 1; i < 32; i++)
            sum += part[t + i];
        out[v] = sum;
    }
}
