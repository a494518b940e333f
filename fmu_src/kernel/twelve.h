/* Vectors and symmetric matrices of nine to twelve coordinates, in rows of eight and four numbers.  Only for processors with
 * 32 registers of eight numbers. */
#include <immintrin.h>

#define ROWS 12
#define LOAD4(from) ((four) * (const four_anywhere *)(from))
#define STORE4(to, x) (*(four_anywhere *)(to) = (x))
#ifdef __clang__
#define EACH _Pragma("unroll")
#else
#define EACH _Pragma("GCC unroll 16")
#endif

static const long long from_lane[16] = {0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1};

/* Lanes from i on, and zeros before them. */
INLINE TARGET eight from8(eight x, int i) {
    return (eight)_mm512_and_si512((__m512i)x, _mm512_loadu_si512(from_lane + 8 - i));
}
INLINE TARGET four from4(four x, int i) {
    return (four)_mm256_and_si256((__m256i)x, _mm256_loadu_si256((const __m256i *)(from_lane + 8 - i)));
}
INLINE TARGET four before4(four x, int i) {
    return (four)_mm256_andnot_si256(_mm256_loadu_si256((const __m256i *)(from_lane + 8 - i)), (__m256i)x);
}

/* Four vectors of eight become eight of four, and the other way round. */
INLINE TARGET void turn_8_to_4(const eight *from, four *to) {
    eight t0 = (eight)_mm512_unpacklo_pd(from[0], from[1]), t1 = (eight)_mm512_unpackhi_pd(from[0], from[1]);
    eight t2 = (eight)_mm512_unpacklo_pd(from[2], from[3]), t3 = (eight)_mm512_unpackhi_pd(from[2], from[3]);
    eight u[4] = {SHUFFLE(t0, t2, 0, 1, 8, 9, 4, 5, 12, 13), SHUFFLE(t1, t3, 0, 1, 8, 9, 4, 5, 12, 13),
                  SHUFFLE(t0, t2, 2, 3, 10, 11, 6, 7, 14, 15), SHUFFLE(t1, t3, 2, 3, 10, 11, 6, 7, 14, 15)};
    EACH for (int i = 0; i < 4; i++) {
        to[i] = (four)_mm512_castpd512_pd256(u[i]);
        to[4 + i] = (four)_mm512_extractf64x4_pd(u[i], 1);
    }
}
INLINE TARGET void turn_4_to_8(const four *from, eight *to) {
    eight c[4];
    EACH for (int i = 0; i < 4; i++) c[i] = (eight)_mm512_insertf64x4(_mm512_castpd256_pd512(from[i]), from[4 + i], 1);
    eight t0 = (eight)_mm512_unpacklo_pd(c[0], c[1]), t1 = (eight)_mm512_unpackhi_pd(c[0], c[1]);
    eight t2 = (eight)_mm512_unpacklo_pd(c[2], c[3]), t3 = (eight)_mm512_unpackhi_pd(c[2], c[3]);
    to[0] = SHUFFLE(t0, t2, 0, 1, 8, 9, 4, 5, 12, 13);
    to[1] = SHUFFLE(t1, t3, 0, 1, 8, 9, 4, 5, 12, 13);
    to[2] = SHUFFLE(t0, t2, 2, 3, 10, 11, 6, 7, 14, 15);
    to[3] = SHUFFLE(t1, t3, 2, 3, 10, 11, 6, 7, 14, 15);
}

/* A symmetric matrix from its upper triangle by rows; zeros from n on. */
INLINE TARGET void unpack_12(const double *packed, int n, Matrix12 *to) {
    eight upper[8], lower[8], low[4];
    four right[8], corner[4];
    EACH for (int i = 0; i < 8; i++) {
        lower[i] = upper[i] = from8(LOAD8(packed), i);
        right[i] = before4(LOAD4(packed + 8), n - 8);
        packed += n - i - 1;
    }
    turn_avx512(lower);
    EACH for (int i = 0; i < 8; i++) {
        STORE8(to->a[i], (eight)_mm512_mask_mov_pd(lower[i], (__mmask8)(0xff << i), upper[i]));
        STORE4(to->b[i], right[i]);
    }
    turn_4_to_8(right, low);
    EACH for (int i = 0; i < 4; i++) {
        STORE8(to->a[8 + i], low[i]);
        corner[i] = before4(from4(LOAD4(packed + 8), i), n - 8);
        packed += n - i - 9;
    }
    four t0 = (four)_mm256_unpacklo_pd(corner[0], corner[1]), t1 = (four)_mm256_unpackhi_pd(corner[0], corner[1]);
    four t2 = (four)_mm256_unpacklo_pd(corner[2], corner[3]), t3 = (four)_mm256_unpackhi_pd(corner[2], corner[3]);
    const four turned[4] = {(four)_mm256_permute2f128_pd(t0, t2, 0x20), (four)_mm256_permute2f128_pd(t1, t3, 0x20),
                            (four)_mm256_permute2f128_pd(t0, t2, 0x31), (four)_mm256_permute2f128_pd(t1, t3, 0x31)};
    EACH for (int i = 0; i < 4; i++)
        STORE4(to->b[8 + i], (four)_mm256_mask_mov_pd(turned[i], (__mmask8)(0xf << i), corner[i]));
}

/* Twelve numbers. */
typedef struct { eight a; four b; } Vector12;

INLINE TARGET Vector12 load_12(const double *from) { return (Vector12){LOAD8(from), LOAD4(from + 8)}; }
INLINE TARGET void store_12(double *to, Vector12 x) {
    STORE8(to, x.a);
    STORE4(to + 8, x.b);
}
INLINE TARGET Vector12 add_12(Vector12 x, double factor, Vector12 y) {
    return (Vector12){x.a + factor * y.a, x.b + factor * y.b};
}

/* Twelve numbers of which the first n count; behind them there is room. */
INLINE TARGET Vector12 load_first(const double *from, int n) {
    return (Vector12){LOAD8(from), before4(LOAD4(from + 8), n - 8)};
}

/* Rows times x, summed up in four chains that do not wait for one another. */
#define MULTIPLY(row_a, row_b)                                                                     \
    eight sum[4];                                                                                  \
    four rest[4];                                                                                  \
    EACH for (int k = 0; k < ROWS; k++) {                                                          \
        sum[k % 4] = k < 4 ? x[k] * (row_a) : sum[k % 4] + x[k] * (row_a);                         \
        rest[k % 4] = k < 4 ? x[k] * (row_b) : rest[k % 4] + x[k] * (row_b);                       \
    }                                                                                              \
    return (Vector12){(sum[0] + sum[1]) + (sum[2] + sum[3]), (rest[0] + rest[1]) + (rest[2] + rest[3])};

INLINE TARGET Vector12 multiply_12(const Matrix12 *A, const double *x) { MULTIPLY(LOAD8(A->a[k]), LOAD4(A->b[k])) }
INLINE TARGET Vector12 multiply_wide_12(const double *A, const double *x) { /* (12, 16) */
    MULTIPLY(LOAD8(A + 16 * k), LOAD4(A + 16 * k + 8))
}

/* The compiler is to load numbers from memory, each into all lanes, instead of moving lanes about, and rows of four are to
 * stay there: stores of eight numbers take long, so those that need not be in memory must find registers. */
#define IN_MEMORY(x) __asm__("" : "+m"(x))
