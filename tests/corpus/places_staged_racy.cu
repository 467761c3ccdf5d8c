// A scatter whose places are staged in shared memory and taken in reverse: two
// equal places are one cell. What is read behind the barrier is what the host
// stored, but a thread finds it in an array that the kernel writes.
//
// babycuda: check --block 8 => racy ww out 13 13 | unknown
// babycuda: check --block 1 => drf

__global__ void scatter(const int *place, const float *in, float *out)
{
    __shared__ int s[1024];
    s[threadIdx.x] = place[threadIdx.x];
    __syncthreads();
    out[s[blockDim.x - 1 - threadIdx.x]] = in[threadIdx.x];
}
