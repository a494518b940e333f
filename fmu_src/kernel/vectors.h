/* LANES numbers of as many rows, as wide as the family of processors has them and never wider: wider ones would go to memory. */
#ifndef KINETAB_VECTORS_H
#define KINETAB_VECTORS_H

#define EACH_LANE for (int lane = 0; lane < KT_CHUNK; lane += LANES)

#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#define APART static __attribute__((noinline))
typedef double vec __attribute__((vector_size(8 * LANES)));
typedef double vec_anywhere __attribute__((vector_size(8 * LANES), aligned(8), may_alias)); /* in memory */
INLINE vec load(const double *p) { return *(const vec_anywhere *)p; }
INLINE void store(double *p, vec x) { *(vec_anywhere *)p = x; }
INLINE vec zero(void) { return (vec){0}; }
INLINE vec times(double a, vec x) { return a * x; }
INLINE vec axpy(vec s, double a, vec x) { return s + a * x; }
INLINE vec add(vec x, vec y) { return x + y; }
INLINE vec fma_of(vec s, vec a, vec x) { return s + a * x; }
INLINE vec fms_of(vec s, vec a, vec x) { return s - a * x; }
#else
#define INLINE static inline
#define APART static
typedef struct { double x[LANES]; } vec;
#define EACH for (int i = 0; i < LANES; i++)
INLINE vec load(const double *p) { vec r; EACH r.x[i] = p[i]; return r; }
INLINE void store(double *p, vec x) { EACH p[i] = x.x[i]; }
INLINE vec zero(void) { vec r; EACH r.x[i] = 0.0; return r; }
INLINE vec times(double a, vec x) { EACH x.x[i] *= a; return x; }
INLINE vec axpy(vec s, double a, vec x) { EACH s.x[i] += a * x.x[i]; return s; }
INLINE vec add(vec x, vec y) { EACH x.x[i] += y.x[i]; return x; }
INLINE vec fma_of(vec s, vec a, vec x) { EACH s.x[i] += a.x[i] * x.x[i]; return s; }
INLINE vec fms_of(vec s, vec a, vec x) { EACH s.x[i] -= a.x[i] * x.x[i]; return s; }
#undef EACH
#endif

/* GCC loads a number again where it is used twice, unless it is told that it has changed. */
#if defined(__GNUC__) && !defined(__clang__) && LANES == 8
#define HOLD(x) __asm__("" : "+v"(x))
#else
#define HOLD(x) (void)0
#endif

/* Loops over constants: the compiler may not think them worth it by itself.  Those over corners of cells may be long. */
#if !SHAPED
#define UNROLL
#define UNROLL_CORNERS
#elif defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#define UNROLL_CORNERS _Pragma("clang loop unroll_count(16)")
#elif defined(__GNUC__)
#define UNROLL _Pragma("GCC unroll 64")
#define UNROLL_CORNERS _Pragma("GCC unroll 16")
#else
#define UNROLL
#define UNROLL_CORNERS
#endif

/* Functions that are there once where they are long: with deflections. */
#if !SHAPED
#define LONG APART
#elif NS > 0
#define LONG APART
#else
#define LONG INLINE
#endif

INLINE double sum_of(vec v) {
#if defined(__GNUC__) && LANES == 8
    return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
#elif defined(__GNUC__) && LANES == 4
    return (v[0] + v[2]) + (v[1] + v[3]);
#else
    double x[LANES], sum = 0.0;
    store(x, v);
    for (int i = 0; i < LANES; i++) sum += x[i];
    return sum;
#endif
}

#endif
