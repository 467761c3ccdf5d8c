// A warp reduction by shuffles: what lanes exchange is data that decides no access.
//
// babycuda: check => drf
// babycuda: check --block 32 => drf

__global__ void warp_sum(const float *in, float *out)
{
    float v = in[threadIdx.x];
    for (int offset = 16; offset > 0; offset /= 2)
        v += __shfl_down_sync(0xffffffffu, v, offset);
    if (threadIdx.x % 32 == 0)
        out[threadIdx.x / 32] = v;
}
