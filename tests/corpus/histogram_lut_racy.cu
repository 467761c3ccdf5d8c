// A histogram of classes, which a table gives for each value: two values may be
// of one class.
//
// babycuda: check => racy rw bins 11 11
// babycuda: check => racy ww bins 11 11
// babycuda: check --block 64 => racy ww bins 11 11

__global__ void classes(const unsigned char *in, const int *class_of, int *bins)
{
    int i = threadIdx.x;
    bins[class_of[in[i]]] += 1;
}
