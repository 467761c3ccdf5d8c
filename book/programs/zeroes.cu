__global__ void zeroes(int *a) {
    a[0] = 0;
}
