// A structure that the kernel is given by value, and one that the host sets: their numbers are the same
// for all threads, as parameters are, and what a pointer in it points to is an array.
//
// babycuda: check => drf
// babycuda: check --block 128 => drf

struct __align__(16) Image {
    int width, height;
    float *pixels;
};

typedef struct {
    int rounds;
    float factor;
} Settings;

__constant__ Settings settings;

__global__ void scale(Image image)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < settings.rounds; k++) {
        if (i < image.width * image.height)
            image.pixels[i] *= settings.factor;
        __syncthreads();
    }
}
