template <int SCALE>
__device__ int scaled(int i, int offset = 1)
{
    if (i > 100)
        return 0;
    return SCALE * i + offset;
}

template <typename T>
__device__ void put(T *where, int i, T what)
{
    where[i] = what;
}

__device__ void bump(int &x)
{
    x += 10;
}

__global__ void kernel(int *a, float *f)
{
    int i = threadIdx.x;
    put(a, scaled<3>(i), 5);
    bump(i);
    put(f, i, 1.0f);
}
