// A push over neighbour lists, a row for each thread: two rows with a neighbour
// in common write its cell. What the host stored in `row` and `col` decides.
//
// babycuda: check => racy ww dist 15 15
// babycuda: check --block 32 --param n=32 => racy ww dist 15 15 | unknown
// babycuda: check --block 32 --param n=1 => drf

__global__ void push(const int *row, const int *col, int *dist, int n)
{
    int v = threadIdx.x;
    if (v < n) {
        int first = row[v];
        int last = row[v + 1];
        for (int e = first; e < last; e++)
            dist[col[e]] = v;
    }
}
