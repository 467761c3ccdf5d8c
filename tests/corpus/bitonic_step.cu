// One step of a bitonic sort in global memory. Each pair {i, i ^ j} belongs to
// its smaller thread, whatever j and k are.
//
// babycuda: check => drf
// babycuda: check --block 256 --grid 2 --param j=64 --param k=128 => drf

__global__ void bitonic_step(float *values, int j, int k)
{
    unsigned int i = threadIdx.x + blockDim.x * blockIdx.x;
    unsigned int ixj = i ^ j;

    if (ixj > i) {
        if ((i & k) == 0) {
            if (values[i] > values[ixj]) {
                float temp = values[i];
                values[i] = values[ixj];
                values[ixj] = temp;
            }
        } else {
            if (values[i] < values[ixj]) {
                float temp = values[i];
                values[i] = values[ixj];
                values[ixj] = temp;
            }
        }
    }
}
