__global__ void kernel(float *a, const float *b, int n)
{
    int i = threadIdx.x;
    float x = b[i] * 2.0f;
    if (x > 1.0f) a[i] = x;
    a[i + 1] = b[i];
    a[(int)x] = 0.5f;
}
