// The bitonic step without `ixj > i`: one thread of a pair exchanges it while
// the other compares. Whether it does depends on the data.
//
// babycuda: check --block 256 --param j=64 --param k=128 => racy rw values 14 16 | unknown
// babycuda: check => racy rw values 14 16 | unknown
// babycuda: check --block 256 --param j=256 --param k=512 => drf

__global__ void bitonic_step(float *values, int j, int k)
{
    unsigned int i = threadIdx.x + blockDim.x * blockIdx.x;
    unsigned int ixj = i ^ j;

    if ((i & k) == 0) {
        if (values[i] > values[ixj]) {
            float temp = values[i];
            values[i] = values[ixj];
            values[ixj] = temp;
        }
    }
}
