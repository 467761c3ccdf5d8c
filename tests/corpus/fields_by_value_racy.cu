// The same with a width that may be 0: then each row begins where the others do. And a structure that the
// kernel changes is no parameter.
//
// babycuda: check => racy ww image.pixels 17 17
// babycuda: check --block 128 --param image.width=0 => racy ww image.pixels 17 17
// babycuda: check --block 128 --param image.width=1 => drf

struct Image {
    int width, height;
    float *pixels;
};

__global__ void first_of_rows(Image image)
{
    int row = threadIdx.x;
    if (row < 1024)
        image.pixels[row * image.width] = 0.0f;
}
