// Of these layouts clang's document does not say enough: no kernel is race-free.
typedef int wide __attribute__((aligned(16)));
struct of_wide { int c; wide e; };
__global__ void typedefs(of_wide *s) {
  if (threadIdx.x == 0) s[0].e = 1;
  if (threadIdx.x == 1) ((int *)s)[4] = 2;
}
struct member { char c; int e __attribute__((packed)); };
__global__ void packed(member *s) {
  if (threadIdx.x == 0) s[0].e = 1;
  if (threadIdx.x == 1) ((char *)s)[1] = 2;
}
struct padded { __device__ padded() {} int x; char c; };
struct tail : padded { char d; };
__global__ void tails(tail *s) {
  if (threadIdx.x == 0) s[0].d = 1;
  if (threadIdx.x == 1) ((char *)s)[5] = 2;
}
struct empty {};
struct twice : empty { empty e; char x; };
__global__ void empties(twice *s) {
  if (threadIdx.x == 0) s[0].x = 1;
  if (threadIdx.x == 1) ((char *)s)[2] = 2;
}
enum huge { top = 1ll << 40 };
struct large { char c; huge k; char z; };
__global__ void enumerations(large *s) {
  if (threadIdx.x == 0) s[0].z = 1;
  if (threadIdx.x == 1) ((char *)s)[16] = 2;
}
#include <curand_kernel.h>
__global__ void states(curandStatePhilox4_32_10_t *s) {
  if (threadIdx.x == 0) s[0] = s[1];
  if (threadIdx.x == 1) ((char *)s)[50] = 2;
}
