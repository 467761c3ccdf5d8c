// A step of label propagation in place: a vertex reads labels that others
// write.
//
// babycuda: check => racy rw label 13 14
// babycuda: check --block 16 --param n=16 => racy rw label 13 14

__global__ void step(const int *row, const int *col, int *label, int n)
{
    int v = threadIdx.x;
    if (v < n) {
        int least = label[v];
        for (int e = row[v]; e < row[v + 1]; e++)
            least = min(least, label[col[e]]);
        label[v] = least;
    }
}
