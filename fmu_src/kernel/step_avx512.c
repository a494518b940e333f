/* step.c for processors with AVX-512. */
#include "kernel.h"

#ifdef KT_AVX512
#define FAMILY avx512
#define LANES 8
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma,avx512f,avx512vl,avx512dq"))), apply_to = function)
#else
#pragma GCC target("avx2,fma,avx512f,avx512vl,avx512dq")
#endif
#include "step.c"
#ifdef __clang__
#pragma clang attribute pop
#endif
#endif
