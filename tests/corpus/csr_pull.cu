// A pull over neighbour lists: each row reads its neighbours and writes its own
// cell only, whatever the lists are.
//
// babycuda: check => drf
// babycuda: check --block 32 --param n=32 => drf

__global__ void pull(const int *row, const int *col, const float *in, float *out, int n)
{
    int v = threadIdx.x;
    if (v < n) {
        int first = row[v];
        int last = row[v + 1];
        float sum = 0.0f;
        for (int e = first; e < last; e++)
            sum += in[col[e]];
        out[v] = sum;
    }
}
