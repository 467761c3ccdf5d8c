// As neighbours_forces.cu, with each pair visited once: what acts on the other
// particle is written, too.
//
// babycuda: check => racy rw force 15 14
// babycuda: check --block 32 --param n=32 => racy rw force 15 14

__global__ void forces(const int *count, const int *neighbour, const float *x, float *force, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        for (int k = 0; k < count[i] && k < 16; k++) {
            int j = neighbour[16 * i + k];
            float f = x[i] - x[j];
            force[i] += f;
            force[j] -= f;
        }
    }
}
