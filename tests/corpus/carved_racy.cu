// The counts begin where so many floats would end, in the middle of the sums.
//
// babycuda: check --block 256 --grid 1 => racy ww memory 17 18
// babycuda: check --block 128 --grid 1 => drf

#define MOST 256

__global__ void carved(const double *values, double *sums, int *counts)
{
    extern __shared__ unsigned char memory[];
    double *sum = reinterpret_cast<double *>(memory);
    int *count = reinterpret_cast<int *>(memory + MOST * sizeof(float));
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;

    // Sums of a half of a block of 256 threads fill the bytes before the counts.
    sum[t] = values[i];
    count[t] = values[i] > 0.0;
    __syncthreads();
    int other = blockDim.x - 1 - t;
    sums[i] = sum[other];
    counts[i] = count[other];
}
