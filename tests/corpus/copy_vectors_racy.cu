// What is left of vectors of four floats is counted from the end of the vectors of two.
//
// babycuda: check => racy ww out 10 13
// babycuda: check --block 64 --grid 1 --param n=103 => racy ww out 10 13

__global__ void copy_vectors(const float *in, float *out, unsigned int n)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4)
        reinterpret_cast<float4 *>(out)[i] = reinterpret_cast<const float4 *>(in)[i];
    unsigned int rest = n / 4 * 2 + i;
    if (i < n % 4)
        out[rest] = in[rest];
}
