// wrong: the technique is wrong about it | symbolic-heap says racy
__global__ void k(int *a) {
    int t = threadIdx.x;
    a[0] = t;
}
