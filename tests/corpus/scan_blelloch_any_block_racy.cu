// The work-efficient scan launched with any block size. When that is no power
// of two the down-sweep takes one step more than the up-sweep took, `offset`
// reaches 0, and every thread works on temp[-1].
//
// babycuda: check => racy ww temp 42 42
// babycuda: check --block 3 => racy ww temp 42 42
// babycuda: check --block 3 => racy ww temp 41 42
// babycuda: check --block 3 => racy rw temp 40 42
// babycuda: check --block 64 => drf

__global__ void scan_blelloch(float *data)
{
    extern __shared__ float temp[];
    int tid = threadIdx.x;
    int n = 2 * blockDim.x;
    int offset = 1;

    temp[2 * tid] = data[2 * tid];
    temp[2 * tid + 1] = data[2 * tid + 1];

    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (tid < d) {
            int ai = offset * (2 * tid + 1) - 1;
            int bi = offset * (2 * tid + 2) - 1;
            temp[bi] += temp[ai];
        }
        offset *= 2;
    }

    if (tid == 0)
        temp[n - 1] = 0.0f;

    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (tid < d) {
            int ai = offset * (2 * tid + 1) - 1;
            int bi = offset * (2 * tid + 2) - 1;
            float t = temp[ai];
            temp[ai] = temp[bi];
            temp[bi] += t;
        }
    }
    __syncthreads();

    data[2 * tid] = temp[2 * tid];
    data[2 * tid + 1] = temp[2 * tid + 1];
}
