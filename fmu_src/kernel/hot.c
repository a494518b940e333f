/* The functions of reading.h, reading_fast.h, hot.h, twelve_*.h and small.h for this family of processors, and the choice among them. */
#include "internal.h"

#ifndef __GNUC__
#error "the kernel needs GCC or Clang: it uses their vectors"
#endif

/* Vectors as wide as the processor has, since compilers put wider ones into memory; and of eight numbers for small.h. */
#define VECTORS(name, bytes)                                                                       \
    typedef double name __attribute__((vector_size(bytes)));                                       \
    typedef double name##_anywhere __attribute__((vector_size(bytes), aligned(8), may_alias)); /* in memory */
VECTORS(two, 16)
VECTORS(four, 32)
VECTORS(eight, 64)
#define LOAD8(from) ((eight) * (const eight_anywhere *)(from))
#define STORE8(to, x) (*(eight_anywhere *)(to) = (x))
#define ZERO8 ((eight){0})
#define LOAD(from) ((VECTOR) * (const ANYWHERE *)(from))
#define STORE(to, x) (*(ANYWHERE *)(to) = (x))
#define ZERO ((VECTOR){0})
#ifdef __clang__
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
typedef long long places __attribute__((vector_size(64)));
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (places){__VA_ARGS__})
#endif
#define INLINE static inline __attribute__((always_inline))

/* Ones with a zero in the middle, zeros with a one in the middle. */
#define MOST_WIDE 64 /* KT_MOST_Z rounded up */
#define EIGHT(x) x, x, x, x, x, x, x, x
#define MANY(x) EIGHT(x), EIGHT(x), EIGHT(x), EIGHT(x), EIGHT(x), EIGHT(x), EIGHT(x), EIGHT(x)
static const double without[2 * MOST_WIDE + 1] = {MANY(1), 0, MANY(1)};
static const double only[2 * MOST_WIDE + 1] = {MANY(0), 1, MANY(0)};
static const double half[8] = {0.5, 1, 1, 1, 1, 1, 1, 1};

#define NAME(x) x##_plain
#define TARGET
#define VECTOR two
#define LANES 2
#define ANYWHERE two_anywhere
#define TWELVE NULL, NULL, NULL, NULL /* functions of twelve_step.h and twelve_force.h */
#define HOLD(x) (void)0 /* keeps x in a register, where there are enough of them */
#include "reading.h"
#include "reading_fast.h"
#include "hot.h"
#include "small.h"
#undef NAME
#undef TARGET
#undef VECTOR
#undef LANES
#undef ANYWHERE

#if defined(__GNUC__) && defined(__x86_64__) && !defined(KT_PLAIN)
#define NAME(x) x##_avx2
#define TARGET __attribute__((target("avx2,fma")))
#define VECTOR four
#define LANES 4
#define ANYWHERE four_anywhere
#include "reading.h"
#include "reading_fast.h"
#include "hot.h"
#include "small.h"
#undef NAME
#undef TARGET
#undef VECTOR
#undef LANES
#undef ANYWHERE

#ifndef KT_AVX2 /* no more than that */
#define NAME(x) x##_avx512
#define TARGET __attribute__((target("avx2,fma,avx512f,avx512vl,avx512dq")))
#define VECTOR eight
#define LANES 8
#define ANYWHERE eight_anywhere
#undef HOLD
#define HOLD(x) __asm__("" : "+v"(x))
#undef TWELVE
#define TWELVE matrices_12, midpoint_12, force_12, middle_12
#include "reading.h"
#include "reading_fast.h"
#include "hot.h"
#include "twelve.h"
#include "twelve_force.h"
#include "twelve_step.h"
#include "small.h"
#undef NAME
#undef TARGET
#undef VECTOR
#undef LANES
#undef ANYWHERE
#endif

#include <cpuid.h>

/* What processor and operating system allow; the compilers' own functions for this need libraries that not all have. */
const Hot *kt_hot(void) {
    unsigned a, b, c, d, low, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) || !(c & bit_FMA)) return &hot_plain;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if ((low & 0x06) != 0x06 || !__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & bit_AVX2)) return &hot_plain;
#ifndef KT_AVX2
    if ((low & 0xE6) == 0xE6 && b & bit_AVX512F && b & bit_AVX512DQ && b & bit_AVX512VL) return &hot_avx512;
#endif
    return &hot_avx2;
}
#else
const Hot *kt_hot(void) { return &hot_plain; }
#endif
