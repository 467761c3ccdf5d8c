// y = a*x + y with a grid-stride loop. Without a bound on n the counter
// can step past INT_MAX.
//
// babycuda: assume n <= 1073741824
// babycuda: assume gridDim.x <= 65535
// babycuda: check => drf
// babycuda: check --block 128 --grid 2 --param n=1000 => drf
// babycuda: check --block 96 --param n=1000 => drf

__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int stride = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        y[i] = a * x[i] + y[i];
}
