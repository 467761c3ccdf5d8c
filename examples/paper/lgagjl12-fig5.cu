// place: LGAGJL12, Fig. 5, as a kernel
// paper: A sequential histogram, whose “bin address is derived directly from an input value”: access variant.
// expect: type => 0 | well-typed, relative to what the host stored in data
// expect: check --block 1 => 0 | race-free
// expect: check --block 2 --param size=1 => 1 | race on bin[
// why: Variant it is, since `data` is an input; relative to `data` it has a type (T11). One thread races with nobody.
//   All threads of a block that run this race for the bins. The figure has `&&` where `&` is meant: as printed it
//   counts in bins 0 and 1 only.
__global__ void histogram(char *data, int *bin, int size) {
    for (int i = 0; i < size; i++)
        bin[data[i] && 0x3FU]++;
}
