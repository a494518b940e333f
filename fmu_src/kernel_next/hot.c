/* The choice among families of processors, when the library is loaded. */
#include "kernel.h"

extern const Hot kt_hot_plain;
#ifdef KT_FAMILIES /* step.c is there for these too */
extern const Hot kt_hot_avx2, kt_hot_avx512;
#endif

const Hot *kt_hot(void) {
#ifdef KT_FAMILIES
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
        return &kt_hot_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &kt_hot_avx2;
#endif
    return &kt_hot_plain;
}
