// labels_in_place_racy.cu repaired: the labels of a step are read in one array
// and written in another.
//
// babycuda: check => drf
// babycuda: check --block 16 --param n=16 => drf

__global__ void step(const int *row, const int *col, const int *label, int *next, int n)
{
    int v = threadIdx.x;
    if (v < n) {
        int least = label[v];
        for (int e = row[v]; e < row[v + 1]; e++)
            least = min(least, label[col[e]]);
        next[v] = least;
    }
}
