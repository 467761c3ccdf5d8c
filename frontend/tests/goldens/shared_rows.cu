__global__ void kernel(float *a)
{
    __shared__ float t[4][8][2];
    __shared__ int flag;
    extern __shared__ float dynamic[];
    t[threadIdx.y][threadIdx.x][1] = a[0];
    flag = 1;
    dynamic[threadIdx.x] = t[0][0][0];
}
