// The Jacobi step in place: neighbours are read while their threads write them.
//
// babycuda: assume 2 < nx && nx <= 16384 && 2 < ny && ny <= 16384
// babycuda: assume gridDim.x <= 65535
// babycuda: check => racy rw u 15 15
// babycuda: check --block 16,8 --param nx=16 --param ny=8 => racy rw u 15 15
// babycuda: check --block 2,2 --param nx=3 --param ny=3 => drf

__global__ void jacobi_in_place(float *u, int nx, int ny)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1) {
        int c = y * nx + x;
        u[c] = 0.25f * (u[c - 1] + u[c + 1] + u[c - nx] + u[c + nx]);
    }
}
