// The table's third entry moves a thread's place onto its neighbour's.
//
// babycuda: check --block 256 => racy ww out 16 17
// babycuda: check --block 1 => drf

struct Offset {
    int dx, dy;
};

__constant__ const Offset offsets[4] = {{0, 1}, {1, 0}, {0, 2}, {2, 0}};

__global__ void shift(float *out, const float *in)
{
    int x = threadIdx.x;
    Offset last = offsets[3];
    out[x * last.dx] = in[x];
    out[x * last.dx + offsets[2].dy] = x;
}
