// Forces between particles, by neighbour lists with room for 16: each thread
// adds up what acts on its own particle.
//
// babycuda: check => drf
// babycuda: check --block 32 --param n=32 => drf

__global__ void forces(const int *count, const int *neighbour, const float *x, float *force, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        float f = 0.0f;
        for (int k = 0; k < count[i] && k < 16; k++)
            f += x[i] - x[neighbour[16 * i + k]];
        force[i] = f;
    }
}
