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

/* Zero in one place, one elsewhere; and the other way round.  For eight places within a chunk and none. */
#define ONES 1, 1, 1, 1, 1, 1, 1
#define NONE 0, 0, 0, 0, 0, 0, 0
static const double without[] = {ONES, ONES, 1, 0, ONES, ONES, 1}; /* from [15 - k] on: zero in place k */
static const double only[] = {NONE, NONE, 0, 1, NONE, NONE, 0};

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
