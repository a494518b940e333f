/* step.c for processors with AVX2. */
#include "kernel.h"

#ifdef KT_AVX2
#define FAMILY avx2
#define LANES 4
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif
#include "step.c"
#ifdef __clang__
#pragma clang attribute pop
#endif
#endif
