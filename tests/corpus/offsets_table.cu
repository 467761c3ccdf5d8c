// A table of structures says which neighbour each round looks at.
//
// babycuda: check --block 256 => drf
// babycuda: check => drf

struct Offset {
    int dx, dy;
};

__constant__ const Offset offsets[4] = {{0, 1}, {1, 0}, {0, 2}, {2, 0}};

__global__ void shift(float *out, const float *in)
{
    int x = threadIdx.x;
    Offset last = offsets[3];
    out[x * last.dx] = in[x + offsets[0].dy];
    out[x * last.dx + offsets[1].dx] = in[x];
}
