// Four floats at a time, and what is left of them one by one.
//
// babycuda: check => drf
// babycuda: check --block 64 --grid 2 --param n=1003 => drf

__global__ void copy_vectors(const float *in, float *out, unsigned int n)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4)
        reinterpret_cast<float4 *>(out)[i] = reinterpret_cast<const float4 *>(in)[i];
    unsigned int rest = n / 4 * 4 + i;
    if (i < n % 4)
        out[rest] = in[rest];
}
