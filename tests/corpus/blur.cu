// Box blur of a grey image, borders averaged over what is there.
//
// babycuda: assume width <= 16384 && height <= 16384
// babycuda: assume gridDim.x <= 65535
// babycuda: check => drf
// babycuda: check --block 16,16 --grid 2,2 --param width=30 --param height=20 => drf

#define RADIUS 1

__global__ void blur(unsigned char *out, const unsigned char *in, int width, int height)
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
                    sum += in[r * width + c];
                    count++;
                }
            }
        }
        out[row * width + col] = (unsigned char)(sum / count);
    }
}
