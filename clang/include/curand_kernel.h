// The states of generators, with their sizes and alignments, and what draws from them.
#pragma once
#define BC_STATE(S, WORDS, ALIGNMENT)                                                              \
  struct alignas(ALIGNMENT) S { unsigned state[WORDS]; };                                          \
  BC_D void curand_init(unsigned long long, unsigned long long, unsigned long long, S *);          \
  BC_D unsigned curand(S *); BC_D float curand_uniform(S *); BC_D double curand_uniform_double(S *); \
  BC_D float curand_normal(S *); BC_D double curand_normal_double(S *); BC_D float2 curand_normal2(S *); \
  BC_D uint4 curand4(S *); BC_D float4 curand_uniform4(S *); BC_D unsigned curand_poisson(S *, double); \
  BC_D float curand_log_normal(S *, float, float); BC_D void skipahead(unsigned long long, S *);
BC_STATE(curandStateXORWOW, 12, 8) BC_STATE(curandStatePhilox4_32_10, 16, 16)
BC_STATE(curandStateMRG32k3a, 12, 8) BC_STATE(curandStateSobol32, 35, 4)
BC_STATE(curandStateMtgp32, 1030, 8) BC_STATE(curandStateSobol64, 69, 8)
typedef curandStateXORWOW curandState, curandState_t, curandStateXORWOW_t;
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
typedef curandStateMRG32k3a curandStateMRG32k3a_t;
typedef curandStateSobol32 curandStateSobol32_t;
typedef curandStateSobol64 curandStateSobol64_t;
typedef unsigned curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];
BC_D void curand_init(unsigned long long *, unsigned, curandStateSobol64 *);
BC_D void curand_init(unsigned *, unsigned, curandStateSobol32 *);
