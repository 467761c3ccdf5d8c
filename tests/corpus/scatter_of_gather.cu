// scatter_of_gather_racy.cu repaired: what falls on one place is added up by
// atomic updates.
//
// babycuda: check => drf
// babycuda: check --block 16 --param n=16 => drf

__global__ void scatter(const float *in, const int *place, const int *kind, float *out, int n)
{
    int i = threadIdx.x;
    if (i < n)
        atomicAdd(&out[place[kind[i]]], in[i]);
}
