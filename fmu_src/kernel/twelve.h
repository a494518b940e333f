/* A midpoint step of nine to twelve coordinates: (2a) to (4) of midpoint.py with matrices in registers, whose rows are
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

/* K += stiffness of measures, C += their damping, in rows of eight. */
INLINE TARGET void add_squares_8(const Gradients12 *m, const double *stiffness, const double *damping, int count, eight *K,
                                 eight *C) {
    for (int i = 0; i < count; i++) {
        const eight x = LOAD8(m->x.a[i]), k = stiffness[i] * x, c = damping[i] * x;
        EACH for (int r = 0; r < ROWS; r++) {
            K[r] += m->X[r][i] * k;
            C[r] += m->X[r][i] * c;
        }
    }
}

/* The same for the last four rows of four, in memory; the others mirror rows of eight. */
INLINE TARGET void add_squares_4(const Gradients12 *m, const double *stiffness, const double *damping, int count,
                                 Matrix12 *K, Matrix12 *C) {
    four Kb[4], Cb[4];
    EACH for (int r = 0; r < 4; r++) {
        Kb[r] = LOAD4(K->b[8 + r]);
        Cb[r] = LOAD4(C->b[8 + r]);
    }
    for (int i = 0; i < count; i++) {
        const four x = LOAD4(m->x.b[i]), k = stiffness[i] * x, c = damping[i] * x;
        EACH for (int r = 0; r < 4; r++) {
            Kb[r] += m->X[8 + r][i] * k;
            Cb[r] += m->X[8 + r][i] * c;
        }
    }
    EACH for (int r = 0; r < 4; r++) {
        STORE4(K->b[8 + r], Kb[r]);
        STORE4(C->b[8 + r], Cb[r]);
    }
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

/* Rows k and k + 1 of a symmetric matrix, its rows of eight in registers, are swept: after all of them it is minus its
 * inverse.  Returns whether the pivots are positive and finite. */
INLINE TARGET int sweep_12(eight *a, Matrix12 *A, const int k) {
    double u[ROWS], v[ROWS];
    const four u_b = LOAD4(A->b[k]), v_b = LOAD4(A->b[k + 1]);
    store_12(u, (Vector12){a[k], u_b});
    store_12(v, (Vector12){a[k + 1], v_b});
    IN_MEMORY(u);
    IN_MEMORY(v);
    const double p = u[k], q = u[k + 1], r = v[k + 1], det = p * r - q * q, per = 1.0 / det;
    eight ua = r * a[k] - q * a[k + 1], va = p * a[k + 1] - q * a[k];
    four ub = r * u_b - q * v_b, vb = p * v_b - q * u_b;
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
    a[k] = ua * per;
    a[k + 1] = va * per;
    ub *= per;
    vb *= per;
    EACH for (int next = 2; next < ROWS; next++) { /* the next pivots first */
        const int i = (k + next) % ROWS;
        if (k < 8) a[i] = (eight)_mm512_maskz_mov_pd((__mmask8)~(3 << k), a[i]);
        a[i] = a[i] - u[i] * a[k] - v[i] * a[k + 1];
        four b = LOAD4(A->b[i]);
        if (k >= 8) b = (four)_mm256_maskz_mov_pd((__mmask8)~(3 << (k - 8)), b);
        STORE4(A->b[i], b - u[i] * ub - v[i] * vb);
    }
    STORE4(A->b[k], ub);
    STORE4(A->b[k + 1], vb);
    IN_MEMORY(*A);
    return p > 0.0 && det > 0.0 && det < HUGE_VAL;
}

/* K and g C where the tables were read last; M becomes M - g^2 K, and a with the rows of four in A the matrix of the step. */
INLINE TARGET void linearize_12(const Twelve *s, Matrix12 *M, Matrix12 *K, Matrix12 *C, eight *a, Matrix12 *A) {
    static const double one[8] = {0, 0, 0, 0, 1, 0, 0, 0};
    Gradients12 m;
    eight Ka[ROWS];
    four turned[8];
    const double g = s->g;
    EACH for (int k = 0; k < ROWS; k++) {
        Ka[k] = LOAD8(s->K1 + 16 * k);
        a[k] = g * LOAD8(s->C1 + 16 * k);
    }
    EACH for (int k = 8; k < ROWS; k++) {
        STORE4(K->b[k], LOAD4(s->K1 + 16 * k + 8));
        STORE4(C->b[k], g * LOAD4(s->C1 + 16 * k + 8));
    }
    for (int first = 0; first < s->count; first += 8) {
        const int count = s->count - first < 8 ? s->count - first : 8;
        double stiffness[8], damping[8];
        STORE8(stiffness, s->sign * LOAD8(s->stiffness + first));
        STORE8(damping, g * s->sign * LOAD8(s->damping + first));
        gradients_12(s, first, &m);
        add_squares_8(&m, stiffness, damping, count, Ka, a);
        add_squares_4(&m, stiffness, damping, count, K, C);
    }
    turn_8_to_4(Ka + 8, turned);
    EACH for (int k = 0; k < 8; k++) STORE4(K->b[k], turned[k]);
    turn_8_to_4(a + 8, turned);
    EACH for (int k = 0; k < 8; k++) STORE4(C->b[k], turned[k]);
    EACH for (int k = 0; k < ROWS; k++) {
        const four b = LOAD4(K->b[k]);
        STORE8(K->a[k], Ka[k]);
        STORE8(C->a[k], a[k]);
        a[k] += LOAD8(M->a[k]) + g * g * Ka[k];
        STORE4(A->b[k], k < s->n ? LOAD4(M->b[k]) + LOAD4(C->b[k]) + g * g * b : LOAD4(one + 4 - (k - 8)));
        STORE8(M->a[k], LOAD8(M->a[k]) - g * g * Ka[k]);
        STORE4(M->b[k], LOAD4(M->b[k]) - g * g * b);
    }
    IN_MEMORY(*A);
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

/* Eight of the products u_i u_j, halved where i is j. */
INLINE TARGET eight products(const Entries *entry, eight u0, eight u1) {
    return LOAD8(entry->half) * (eight)_mm512_permutex2var_pd(u0, _mm512_loadu_si512(entry->row), u1) *
           (eight)_mm512_permutex2var_pd(u0, _mm512_loadu_si512(entry->column), u1);
}

/* Some chunks of rows: part += weights of each slot, which are loads and, in rows of J, 1/2 u_i u_j twice. */
INLINE TARGET void add_parts(const Force12 *s, const double *zd, eight u0, eight u1, int begin, int end, const int slopes,
                             eight *part) {
    const int rates = begin < s->inertia;
    for (int e = begin; e < end; e += 8) {
        eight weight = LOAD8(s->load + e), sum = ZERO8, other = ZERO8;
        if (rates) weight += products(s->entries + e / 8, u0, u1);
        EACH for (int k = 0; k < slopes; k++) {
            if (k >= 8 && k >= s->n) continue;
            const eight x = LOAD8(s->slots + (size_t)k * s->rows + e);
            if (rates && k % 2) other += zd[k] * x;
            else if (rates) sum += zd[k] * x;
            part[k] += weight * x;
        }
        if (rates) STORE8(s->rate + e, sum + other);
    }
}

/* The same of chunks of J that are still to be read, over one axis; and their values.  p: the degree over deflections. */
INLINE TARGET void add_inertia(const Force12 *s, const double *zd, eight u0, eight u1, const int p, eight *part) {
    const Line rest = s->rest, each = s->each;
    const double *from = each.from, *d = s->z + 1;
    eight N[4], D[4];
    EACH for (int e = 0; e <= p; e++) {
        N[e] = ZERO8 + each.N[e];
        D[e] = ZERO8 + each.D[e];
    }
    for (int c = 0; c < s->unread; c++) {
        const eight weight = products(s->entries + c, u0, u1);
        eight sum[4], rate = ZERO8, value = ZERO8, slope = ZERO8;
        EACH for (int e = 0; e <= p; e++) sum[e] = ZERO8;
        for (int e = 0; e <= rest.degree; e++) {
            const eight x = LOAD8(rest.from + (size_t)e * rest.stride + 8 * c);
            value += rest.N[e] * x;
            slope += rest.D[e] * x;
        }
        EACH for (int k = 1; k < ROWS; k++) {
            if (k >= 8 && k >= s->n) continue;
            eight v = ZERO8;
            EACH for (int e = 0; e <= p; e++) {
                eight x = LOAD8(from + (size_t)e * each.stride);
                HOLD(x); /* it is used twice */
                v = e ? v + N[e] * x : N[e] * x;
                sum[e] += d[k - 1] * x;
            }
            rate += zd[k] * v;
            part[k] += weight * v;
            from += 8;
        }
        EACH for (int e = 0; e <= p; e++) {
            value += N[e] * sum[e];
            slope += D[e] * sum[e];
        }
        part[0] += weight * slope;
        STORE8(s->rate + 8 * c, rate + zd[0] * slope);
        STORE8(s->J + 8 * c, value);
    }
}

/* force = loads times slopes of the rows they act on - (d/dt J) u + 1/2 u (dJ/dz) u + Q0 - K0 z - C0 zd. */
static TARGET void force_12(const Force12 *s) {
    double zd[ROWS + 4], u[ROWS + 4] = {0};
    const int mixed = (s->inertia + 7) / 8 * 8;
    int done = s->bent ? 8 * s->unread : s->inertia / 8 * 8;
    eight part[ROWS];
    Matrix12 rate;
    store_12(zd, load_first(s->zd, s->n));
    store_12(u, load_first(s->u, s->n));
    const eight u0 = LOAD8(u), u1 = LOAD8(u + 8);
    EACH for (int k = 0; k < ROWS; k++) part[k] = ZERO8;
    IN_MEMORY(zd);
    if (s->unread && s->each.degree == 1) add_inertia(s, zd, u0, u1, 1, part);
    else if (s->unread) add_inertia(s, zd, u0, u1, 3, part);
    else if (s->axes == 1) add_parts(s, zd, u0, u1, 0, done, 1, part);
    else add_parts(s, zd, u0, u1, 0, done, 2, part);
    add_parts(s, zd, u0, u1, done, mixed, ROWS, part);
    add_parts(s, zd, u0, u1, mixed, s->end, ROWS, part);
    unpack_12(s->rate, s->n, &rate);
    Vector12 force = add_12(sums_12(part), -1.0, multiply_12(&rate, u));
    if (s->Q0) {
        double z[ROWS];
        store_12(z, load_first(s->z, s->n));
        force = add_12(force, 1.0, load_12(s->Q0));
        force = add_12(force, -1.0, multiply_wide_12(s->K0, z));
        force = add_12(force, -1.0, multiply_wide_12(s->C0, zd));
    }
    store_12(s->force, force);
}

/* (1) of midpoint.py. */
static TARGET void middle_12(const State *state, int n, double h, State *to) {
    const Vector12 zd = load_first(state->zd, n);
    store_12(to->z, add_12(load_first(state->z, n), 0.5 * h, zd));
    store_12(to->zd, add_12(zd, 0.5 * h, load_first(state->zdd, n)));
}

static TARGET int matrices_12(const Twelve *s, Matrices12 *to) {
    eight a[ROWS];
    for (int e = 0; e < 80; e += 8) STORE8(to->J + e, LOAD8(s->J + e));
    unpack_12(s->J, s->n, &to->L);
    linearize_12(s, &to->L, &to->K, &to->C, a, &to->A);
    int fine = sweep_12(a, &to->A, 0);
    fine &= sweep_12(a, &to->A, 2);
    fine &= sweep_12(a, &to->A, 4);
    fine &= sweep_12(a, &to->A, 6);
    fine &= sweep_12(a, &to->A, 8);
    fine &= sweep_12(a, &to->A, 10);
    EACH for (int k = 0; k < ROWS; k++) STORE8(to->A.a[k], a[k]);
    return fine ? OK : KT_ELSEWHERE;
}

/* (2a), (3) and (4) of midpoint.py; J is M as it is now, NULL if the matrices are new. */
static TARGET int midpoint_12(const Matrices12 *m, const double *J, int n, double h, const double *force, State *state) {
    static const double B[4] = {1.0 / 4.0, -1.0 / 12.0, 17.0 / 12.0, -7.0 / 12.0};
    const double g = KT_POWER * h;
    const Vector12 nothing = {ZERO8, (four){0}}, z0 = load_first(state->z, n), zd0 = load_first(state->zd, n);
    const Vector12 last = load_first(state->zdd, n);
    double zdd[ROWS], x[ROWS];
    store_12(zdd, last);
    store_12(x, zd0);
    Vector12 right = add_12(add_12(nothing, h, load_12(force)), 0.5 * h * h / g, multiply_12(&m->C, zdd));
    if (J) {
        double change[80];
        Matrix12 full;
        for (int e = 0; e < 80; e += 8) STORE8(change + e, LOAD8(J + e) - LOAD8(m->J + e));
        unpack_12(change, n, &full);
        const Vector12 before = load_first(state->zdd_before, n);
        store_12(zdd, (Vector12){2.0 * last.a - before.a, 2.0 * last.b - before.b});
        right = add_12(right, -h, multiply_12(&full, zdd));
    }
    Vector12 Kp = multiply_12(&m->K, x), p = add_12(nothing, h, zd0), z = z0, zd = zd0;
    right = add_12(right, (0.5 * h - g) * h, Kp);
    Kp = add_12(nothing, h, Kp);
    for (int i = 0;; i++) {
        store_12(x, right);
        const Vector12 minus = multiply_12(&m->A, x), rate = {-minus.a, -minus.b};
        p = add_12(p, g, rate);
        z = add_12(z, B[i], p);
        zd = add_12(zd, B[i], rate);
        if (i == 3) break;
        store_12(x, rate);
        right = add_12(multiply_12(&m->L, x), -g, Kp); /* M rate - g K p */
        Kp = add_12(Kp, g, multiply_12(&m->K, x));
    }
    if (_mm512_fpclass_pd_mask(z.a + zd.a, 0x99) || _mm256_fpclass_pd_mask(z.b + zd.b, 0x99)) return KT_ELSEWHERE;
    const double per_step = 1.0 / h;
    store_12(state->z, z);
    store_12(state->zd, zd);
    store_12(state->zdd_before, last);
    store_12(state->zdd, (Vector12){(zd.a - zd0.a) * per_step, (zd.b - zd0.b) * per_step});
    return OK;
}
