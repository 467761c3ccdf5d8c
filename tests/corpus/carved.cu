// Shared memory for sums and for counts, carved from one array of bytes.
//
// babycuda: check --block 64 => drf
// babycuda: check --block 256 --grid 3 => drf

#define MOST 256

__global__ void carved(const double *values, double *sums, int *counts)
{
    extern __shared__ unsigned char memory[];
    double *sum = reinterpret_cast<double *>(memory);
    int *count = reinterpret_cast<int *>(memory + MOST * sizeof(double));
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;

    sum[t] = values[i];
    count[t] = values[i] > 0.0;
    __syncthreads();
    int other = blockDim.x - 1 - t;
    sums[i] = sum[other];
    counts[i] = count[other];
}
