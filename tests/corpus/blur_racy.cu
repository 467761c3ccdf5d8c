// The box blur in place.
//
// babycuda: assume width <= 16384 && height <= 16384
// babycuda: assume gridDim.x <= 65535
// babycuda: check => racy rw image 24 29
// babycuda: check --block 16,16 --param width=16 --param height=16 => racy rw image 24 29
// babycuda: check --block 16,16 --param width=1 --param height=1 => drf

#define RADIUS 1

__global__ void blur(unsigned char *image, int width, int height)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (col < width && row < height) {
        int sum = 0;
        int count = 0;
        for (int dy = -RADIUS; dy <= RADIUS; ++dy) {
            for (int dx = -RADIUS; dx <= RADIUS; ++dx) {
                int r = row + dy;
                int c = col + dx;
                if (r >= 0 && r < height && c >= 0 && c < width) {
                    sum += image[r * width + c];
                    count++;
                }
            }
        }
        image[row * width + col] = (unsigned char)(sum / count);
    }
}
