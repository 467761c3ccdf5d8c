// wrong: the technique is wrong about it | says racy
__global__ void k(int *a) {
    int t = threadIdx.x;
    a[t] = a[t + 1] + t;
}
