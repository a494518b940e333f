/* The functions of hot.h for this family of processors, and the choice among them. */
#include "internal.h"

#ifndef __GNUC__
#error "the kernel needs GCC or Clang: it uses their vectors"
#endif

typedef double eight __attribute__((vector_size(64), aligned(8), may_alias));
#define LOAD(from) (*(const eight *)(from))
#define STORE(to, x) (*(eight *)(to) = (x))
#define ZERO ((eight){0})
#define INLINE static inline __attribute__((always_inline))

/* Ones with a zero in the middle, zeros with a one in the middle. */
#define MOST_WIDE 64 /* KT_MOST_Z rounded up */
#define EIGHT(x) x, x, x, x, x, x, x, x
#define MANY(x) EIGHT(x), EIGHT(x), EIGHT(x), EIGHT(x), EIGHT(x), EIGHT(x), EIGHT(x), EIGHT(x)
static const double without[2 * MOST_WIDE + 1] = {MANY(1), 0, MANY(1)};
static const double only[2 * MOST_WIDE + 1] = {MANY(0), 1, MANY(0)};

#define NAME(x) x##_plain
#define TARGET
#include "hot.h"
#include "small.h"
#undef NAME
#undef TARGET

#if defined(__GNUC__) && defined(__x86_64__) && !defined(KT_PLAIN)
#define NAME(x) x##_avx2
#define TARGET __attribute__((target("avx2,fma")))
#include "hot.h"
#include "small.h"
#undef NAME
#undef TARGET

#define NAME(x) x##_avx512
#define TARGET __attribute__((target("avx2,fma,avx512f,avx512vl,avx512dq,prefer-vector-width=512")))
#include "hot.h"
#include "small.h"
#undef NAME
#undef TARGET

const Hot *kt_hot(void) {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
        return &hot_avx512;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &hot_avx2 : &hot_plain;
}
#else
const Hot *kt_hot(void) { return &hot_plain; }
#endif
