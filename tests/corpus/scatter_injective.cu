// Scatter through an index array without equal indices.
//
// babycuda: assume forall i in 0..n: forall j in 0..n: i == j || index[i] != index[j]
// babycuda: check => drf
// babycuda: check --block 32 --param n=32 => drf | unknown

__global__ void scatter(const float *in, const int *index, float *out, int n)
{
    int i = threadIdx.x;
    if (i < n)
        out[index[i]] = in[i];
}
