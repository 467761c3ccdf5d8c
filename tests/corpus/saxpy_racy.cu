// The grid-stride loop of saxpy with a stride that is one too short: the last
// thread of one round and the first thread of the next share an element.
//
// babycuda: assume n <= 1073741824 && blockDim.x > 1
// babycuda: assume gridDim.x <= 65535
// babycuda: check => racy ww y 15 15
// babycuda: check --block 128 --param n=1000 => racy ww y 15 15
// babycuda: check --block 128 --param n=1000 => racy rw y 15 15
// babycuda: check --block 128 --param n=127 => drf

__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int stride = blockDim.x * gridDim.x - 1;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        y[i] = a * x[i] + y[i];
}
