__global__ void k(int *a) {
    int t = threadIdx.x;
    for (int i = 0; i != 1; i++)
        a[t + i] = 1;
}
