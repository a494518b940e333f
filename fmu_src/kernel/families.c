/* The choice among families of processors, when an instance is made. */
#include "kernel.h"

#ifdef KT_AVX2
#include <cpuid.h>

/* What processor and operating system allow; the compilers' own functions for this need libraries that not all have. */
const Hot *kt_hot(void) {
    unsigned a, b, c, d, low, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) || !(c & bit_FMA)) return &kt_hot_plain;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if ((low & 0x06) != 0x06 || !__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & bit_AVX2)) return &kt_hot_plain;
#ifdef KT_AVX512
    if ((low & 0xE6) == 0xE6 && b & bit_AVX512F && b & bit_AVX512DQ && b & bit_AVX512VL) return &kt_hot_avx512;
#endif
    return &kt_hot_avx2;
}
#else
const Hot *kt_hot(void) { return &kt_hot_plain; }
#endif
