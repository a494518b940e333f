/* A midpoint step of nine to twelve coordinates: (3) and (4) of midpoint.py with all matrices in registers, whose rows are
 * vectors of eight and four numbers.  Only for processors with 32 registers of eight numbers. */
#include <immintrin.h>

#define ROWS 12
#define LOAD4(from) ((four) * (const four_anywhere *)(from))
#define STORE4(to, x) (*(four_anywhere *)(to) = (x))
#ifdef __clang__
#define EACH _Pragma("unroll")
#else
#define EACH _Pragma("GCC unroll 16")
#endif

typedef struct { double a[ROWS][8], b[ROWS][4]; } Matrix12; /* in memory */

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

/* The gradients of up to eight measures: over each coordinate, and of each measure. */
typedef struct { double X[ROWS][8]; Matrix12 x; } Gradients12;

INLINE TARGET void gradients_12(const Twelve *s, int first, Gradients12 *to) {
    eight r[8], rest[4];
    four turned[8];
    EACH for (int k = 0; k < 8; k++) STORE8(to->X[k], r[k] = LOAD8(s->slots + (size_t)k * s->rows + first));
    EACH for (int k = 0; k < 4; k++)
        STORE8(to->X[8 + k], rest[k] = 8 + k < s->n ? LOAD8(s->slots + (size_t)(8 + k) * s->rows + first) : ZERO8);
    turn_avx512(r);
    turn_8_to_4(rest, turned);
    EACH for (int i = 0; i < 8; i++) {
        STORE8(to->x.a[i], r[i]);
        STORE4(to->x.b[i], turned[i]);
    }
}

/* K += stiffness of measures, A += g times their damping; only those rows of b that others do not mirror. */
INLINE TARGET void add_squares_12(const Gradients12 *m, const double *along, const double *rate, int count, double g,
                                  eight *K, eight *A, four *Kb, four *Ab) {
    for (int i = 0; i < count; i++) {
        const eight x = LOAD8(m->x.a[i]), k = along[i] * x, c = g * rate[i] * x;
        EACH for (int r = 0; r < ROWS; r++) {
            K[r] -= m->X[r][i] * k;
            A[r] -= m->X[r][i] * c;
        }
    }
    for (int i = 0; i < count; i++) {
        const four x = LOAD4(m->x.b[i]), k = along[i] * x, c = g * rate[i] * x;
        EACH for (int r = 0; r < 4; r++) {
            Kb[r] -= m->X[8 + r][i] * k;
            Ab[r] -= m->X[8 + r][i] * c;
        }
    }
}

/* x to the eight and the four of a row of numbers */
typedef struct { eight a; four b; } Vector12;

INLINE TARGET Vector12 load_12(const double *from) { return (Vector12){LOAD8(from), LOAD4(from + 8)}; }
INLINE TARGET void store_12(double *to, Vector12 x) {
    STORE8(to, x.a);
    STORE4(to + 8, x.b);
}
INLINE TARGET Vector12 add_12(Vector12 x, double factor, Vector12 y) {
    return (Vector12){x.a + factor * y.a, x.b + factor * y.b};
}

/* A symmetric matrix times x. */
INLINE TARGET Vector12 multiply_12(const Matrix12 *A, const double *x) {
    Vector12 even = {ZERO8, (four){0}}, odd = even;
    EACH for (int k = 0; k < ROWS; k += 2) {
        even.a += x[k] * LOAD8(A->a[k]);
        even.b += x[k] * LOAD4(A->b[k]);
        odd.a += x[k + 1] * LOAD8(A->a[k + 1]);
        odd.b += x[k + 1] * LOAD4(A->b[k + 1]);
    }
    return (Vector12){even.a + odd.a, even.b + odd.b};
}

/* Rows k and k + 1 of a symmetric matrix are swept: after all of them it is minus its inverse.  Returns whether the pivots
 * are positive and finite. */
INLINE TARGET int sweep_12(eight *a, four *b, const int k) {
    double u[ROWS], v[ROWS];
    store_12(u, (Vector12){a[k], b[k]});
    store_12(v, (Vector12){a[k + 1], b[k + 1]});
    const double p = u[k], q = u[k + 1], r = v[k + 1], det = p * r - q * q, per = 1.0 / det;
    eight ua = r * a[k] - q * a[k + 1], va = p * a[k + 1] - q * a[k];
    four ub = r * b[k] - q * b[k + 1], vb = p * b[k + 1] - q * b[k];
    if (k < 8) {
        ua = (eight)_mm512_mask_mov_pd(ua, (__mmask8)(1 << k), ZERO8 - r);
        ua = (eight)_mm512_mask_mov_pd(ua, (__mmask8)(2 << k), ZERO8 + q);
        va = (eight)_mm512_mask_mov_pd(va, (__mmask8)(1 << k), ZERO8 + q);
        va = (eight)_mm512_mask_mov_pd(va, (__mmask8)(2 << k), ZERO8 - p);
    } else {
        ub = (four)_mm256_mask_mov_pd(ub, (__mmask8)(1 << (k - 8)), (four){0} - r);
        ub = (four)_mm256_mask_mov_pd(ub, (__mmask8)(2 << (k - 8)), (four){0} + q);
        vb = (four)_mm256_mask_mov_pd(vb, (__mmask8)(1 << (k - 8)), (four){0} + q);
        vb = (four)_mm256_mask_mov_pd(vb, (__mmask8)(2 << (k - 8)), (four){0} - p);
    }
    ua *= per;
    va *= per;
    ub *= per;
    vb *= per;
    EACH for (int i = 0; i < ROWS; i++) {
        if (i == k || i == k + 1) continue;
        if (k < 8) a[i] = (eight)_mm512_maskz_mov_pd((__mmask8)~(3 << k), a[i]);
        else b[i] = (four)_mm256_maskz_mov_pd((__mmask8)~(3 << (k - 8)), b[i]);
        a[i] = a[i] - u[i] * ua - v[i] * va;
        b[i] = b[i] - u[i] * ub - v[i] * vb;
    }
    a[k] = ua;
    a[k + 1] = va;
    b[k] = ub;
    b[k + 1] = vb;
    return p > 0.0 && det > 0.0 && det < HUGE_VAL;
}

/* The same of a matrix (12, 16) in memory. */
INLINE TARGET Vector12 multiply_wide_12(const double *A, const double *x) {
    Vector12 even = {ZERO8, (four){0}}, odd = even;
    EACH for (int k = 0; k < ROWS; k += 2, A += 32) {
        even.a += x[k] * LOAD8(A);
        even.b += x[k] * LOAD4(A + 8);
        odd.a += x[k + 1] * LOAD8(A + 16);
        odd.b += x[k + 1] * LOAD4(A + 24);
    }
    return (Vector12){even.a + odd.a, even.b + odd.b};
}

/* K and C zdd where the tables were read last; a and b become the matrix of the step. */
INLINE TARGET Vector12 linearize_12(const Twelve *s, const Matrix12 *M, double g, Matrix12 *K, eight *a, four *b) {
    static const double one[8] = {0, 0, 0, 0, 1, 0, 0, 0};
    Gradients12 m;
    eight Ka[ROWS];
    four Kb[ROWS];
    EACH for (int k = 0; k < ROWS; k++) {
        Ka[k] = LOAD8(s->K1 + 16 * k);
        a[k] = LOAD8(M->a[k]) + g * LOAD8(s->C1 + 16 * k);
    }
    EACH for (int k = 8; k < ROWS; k++) {
        Kb[k] = LOAD4(s->K1 + 16 * k + 8);
        b[k] = LOAD4(M->b[k]) + g * LOAD4(s->C1 + 16 * k + 8);
    }
    Vector12 damping = multiply_wide_12(s->C1, s->zdd);
    for (int first = 0; first < s->count; first += 8) {
        const int count = s->count - first < 8 ? s->count - first : 8;
        gradients_12(s, first, &m);
        add_squares_12(&m, s->along + first, s->rate + first, count, g, Ka, a, Kb + 8, b + 8);
        double pull[8];
        eight rates = ZERO8, others = ZERO8;
        EACH for (int k = 0; k < ROWS; k += 2) {
            rates += s->zdd[k] * LOAD8(m.X[k]);
            others += s->zdd[k + 1] * LOAD8(m.X[k + 1]);
        }
        STORE8(pull, (rates + others) * LOAD8(s->rate + first));
        for (int i = 0; i < count; i++)
            damping = add_12(damping, -pull[i], (Vector12){LOAD8(m.x.a[i]), LOAD4(m.x.b[i])});
    }
    turn_8_to_4(Ka + 8, Kb);
    turn_8_to_4(a + 8, b);
    EACH for (int k = 0; k < ROWS; k++) {
        STORE8(K->a[k], Ka[k]);
        STORE4(K->b[k], Kb[k]);
        a[k] += g * g * Ka[k];
        b[k] += g * g * Kb[k];
        if (k >= s->n) b[k] = LOAD4(one + 4 - (k - 8));
    }
    return damping;
}

/* Sums over each of twelve vectors of eight. */
INLINE TARGET Vector12 sums_12(eight *x) {
    eight r[8], rest[4] = {x[8], x[9], x[10], x[11]};
    four turned[8];
    EACH for (int i = 0; i < 8; i++) r[i] = x[i];
    turn_avx512(r);
    turn_8_to_4(rest, turned);
    return (Vector12){((r[0] + r[4]) + (r[1] + r[5])) + ((r[2] + r[6]) + (r[3] + r[7])),
                      ((turned[0] + turned[4]) + (turned[1] + turned[5])) +
                          ((turned[2] + turned[6]) + (turned[3] + turned[7]))};
}

/* As `quadratic` of hot.h; only `slopes` of the slots, which are nf or n, are not zero. */
INLINE TARGET void quadratic_of(const double *slots, size_t rows, const double *zd, const double *u, int n, const int slopes,
                                const Entries *entries, double *rate, double *force) {
    const int size = n * (n + 1) / 2;
    const eight u0 = LOAD8(u), u1 = LOAD8(u + 8);
    eight part[ROWS];
    EACH for (int k = 0; k < ROWS; k++) part[k] = ZERO8;
    for (int e = 0; e < size; e += 8, entries++) {
        const eight weight = LOAD8(entries->half) *
                             (eight)_mm512_permutex2var_pd(u0, _mm512_loadu_si512(entries->row), u1) *
                             (eight)_mm512_permutex2var_pd(u0, _mm512_loadu_si512(entries->column), u1);
        eight sum = ZERO8, other = ZERO8;
        EACH for (int k = 0; k < slopes; k++) {
            if (k >= 8 && k >= n) continue;
            const eight x = LOAD8(slots + (size_t)k * rows + e);
            if (k % 2) other += zd[k] * x;
            else sum += zd[k] * x;
            part[k] += weight * x;
        }
        STORE8(rate + e, sum + other);
    }
    Matrix12 full;
    unpack_12(rate, n, &full);
    Vector12 minus = multiply_12(&full, u), own = load_12(force), plus = sums_12(part);
    store_12(force, (Vector12){own.a + plus.a - minus.a, own.b + plus.b - minus.b});
}

static TARGET void quadratic_12(const double *slots, size_t rows, const double *zd, const double *u, int n, int bent,
                                const Entries *entries, double *rate, double *force) {
    if (bent == 1) quadratic_of(slots, rows, zd, u, n, 1, entries, rate, force);
    else if (bent == 2) quadratic_of(slots, rows, zd, u, n, 2, entries, rate, force);
    else quadratic_of(slots, rows, zd, u, n, ROWS, entries, rate, force);
}

static TARGET int midpoint_12(const Twelve *s) {
    static const double B[4] = {1.0 / 4.0, -1.0 / 12.0, 17.0 / 12.0, -7.0 / 12.0};
    const double h = s->h, g = KT_POWER * h;
    Matrix12 M, K;
    eight a[ROWS];
    four b[ROWS];
    unpack_12(s->J, s->n, &M);
    const Vector12 damping = linearize_12(s, &M, g, &K, a, b);
    int fine = sweep_12(a, b, 0);
    fine &= sweep_12(a, b, 2);
    fine &= sweep_12(a, b, 4);
    fine &= sweep_12(a, b, 6);
    fine &= sweep_12(a, b, 8);
    fine &= sweep_12(a, b, 10);
    if (!fine) return KT_ELSEWHERE;
    const Vector12 nothing = {ZERO8, (four){0}};
    Vector12 right = add_12(add_12(nothing, h, load_12(s->force)), 0.5 * h * h, damping);
    right = add_12(right, (0.5 * h - g) * h, multiply_12(&K, s->zd));
    Vector12 p = add_12(nothing, h, load_12(s->zd)), z = load_12(s->z), zd = load_12(s->zd);
    for (int i = 0;; i++) {
        double x[ROWS], way[ROWS];
        store_12(x, right);
        Vector12 even = nothing, odd = nothing;
        EACH for (int k = 0; k < ROWS; k += 2) {
            even = (Vector12){even.a - x[k] * a[k], even.b - x[k] * b[k]};
            odd = (Vector12){odd.a - x[k + 1] * a[k + 1], odd.b - x[k + 1] * b[k + 1]};
        }
        const Vector12 rate = {even.a + odd.a, even.b + odd.b};
        p = add_12(p, g, rate);
        z = add_12(z, B[i], p);
        zd = add_12(zd, B[i], rate);
        if (i == 3) break;
        store_12(x, rate);
        store_12(way, p);
        right = add_12(multiply_12(&M, x), -g, multiply_12(&K, way));
    }
    store_12(s->z, z);
    store_12(s->zd, zd);
    return OK;
}
