#define TILE 8
#define AT(row, column) ((row) * TILE + (column))
#define BARRIER __syncthreads()
#if TILE > 4 && !defined(SMALL)
#define SHIFT 2
#else
#define SHIFT 1
#endif
enum Place { FIRST = 3, SECOND };
static const int LIMIT = TILE * 2;
__constant__ int scale;
__device__ int total[4];

__global__ void kernel(int *a)
{
    a[AT(threadIdx.y, threadIdx.x)] = 1;
    BARRIER;
    a[TILE << SHIFT] = LIMIT;
    a[SECOND] = scale;
    total[threadIdx.x * scale] = sizeof(int) * warpSize;
}
