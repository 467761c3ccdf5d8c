// Five-point Jacobi step from one grid into another.
//
// babycuda: assume 0 < nx && nx <= 16384 && 0 < ny && ny <= 16384
// babycuda: assume gridDim.x <= 65535
// babycuda: check => drf
// babycuda: check --block 16,8 --grid 2,4 --param nx=30 --param ny=30 => drf

__global__ void jacobi(float *out, const float *in, int nx, int ny)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1) {
        int c = y * nx + x;
        out[c] = 0.25f * (in[c - 1] + in[c + 1] + in[c - nx] + in[c + nx]);
    }
}
