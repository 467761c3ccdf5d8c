__global__ void kernel(int *a, float *f, unsigned *u)
{
    int old = atomicAdd(&a[1], 2);
    a[0] = old;
    atomicAdd(f + 3, 1.0f);
    atomicCAS(&u[4], 5u, 6u);
    atomicMax_block(&a[threadIdx.x], 7);
    atomicSub_system(a, 1);
    atomicExch(&u[0], 8u);
    atomicInc(&u[1], 9u);
}
