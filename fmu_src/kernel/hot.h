/* What else is done many times in each step, on arrays padded to whole chunks.  Included once per kind of processor, like
 * reading.h. */

INLINE TARGET double NAME(sum_eight)(const eight *x) {
    return (((*x)[0] + (*x)[4]) + ((*x)[1] + (*x)[5])) + (((*x)[2] + (*x)[6]) + ((*x)[3] + (*x)[7]));
}

INLINE TARGET double NAME(sum)(const VECTOR *x) {
#if LANES == 8
    return NAME(sum_eight)(x);
#elif LANES == 4
    return ((*x)[0] + (*x)[2]) + ((*x)[1] + (*x)[3]);
#else
    return (*x)[0] + (*x)[1];
#endif
}

/* Sum over n, a multiple of eight. */
INLINE TARGET double NAME(dot)(const double *a, const double *b, int n) {
    VECTOR part = LOAD(a) * LOAD(b);
    for (int k = LANES; k < n; k += LANES) part += LOAD(a + k) * LOAD(b + k);
    return NAME(sum)(&part);
}

/* out = sum_k x_k slot k, over a length rounded up to whole chunks. */
static TARGET void NAME(combine)(const double *slots, size_t rows, const double *x, int length, int n, double *out) {
    for (int e = 0; e < length; e += LANES) {
        VECTOR sum = x[0] * LOAD(slots + e);
        for (int k = 1; k < n; k++) sum += x[k] * LOAD(slots + (size_t)k * rows + e);
        STORE(out + e, sum);
    }
}

/* Rates of measures, sums of zd_k slot k, and forces of linear laws on them. */
static TARGET void NAME(pull)(const double *slots, size_t rows, const double *zd, int n, int measures, const double *s,
                              const double *push, const double *stiffness, const double *damping, double *rate,
                              double *force) {
    for (int e = 0; e < measures; e += LANES) {
        VECTOR even = zd[0] * LOAD(slots + e), odd = ZERO;
        int k = 1;
        for (; k + 1 < n; k += 2) {
            odd += zd[k] * LOAD(slots + (size_t)k * rows + e);
            even += zd[k + 1] * LOAD(slots + (size_t)(k + 1) * rows + e);
        }
        if (k < n) odd += zd[k] * LOAD(slots + (size_t)k * rows + e);
        even += odd;
        STORE(rate + e, even);
        STORE(force + e, LOAD(push + e) - LOAD(stiffness + e) * LOAD(s + e) - LOAD(damping + e) * even);
    }
}

/* out[k] = slot k . load, for n slots with `rows` between them. */
static TARGET void NAME(dots)(const double *slots, size_t rows, const double *load, int length, int n, double *out) {
    for (int k = 0; k < n; k++) out[k] = NAME(dot)(slots + (size_t)k * rows, load, length);
}

/* weights = u_i u_j, halves of it where i = j, upper triangle by rows; what is written behind a row the next replaces. */
INLINE TARGET void NAME(weigh_rates)(const double *u, int n, const int w, double *weights) {
    const VECTOR first = LOAD(half);
    for (int i = 0; i < n; i++) {
        STORE(weights, u[i] * LOAD(u + i) * first);
        for (int j = LANES; j < w; j += LANES) STORE(weights + j, u[i] * LOAD(u + i + j));
        weights += n - i;
    }
}

/* rate += the sum of `many` slots times zd, and out[k] += slot k . weights. */
INLINE TARGET void NAME(add_rates)(const double *slots, size_t rows, const double *zd, const double *weights, int length,
                                   const int many, double *rate, double *out) {
    VECTOR part[8] = {ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO}, own[8];
    for (int k = 0; k < many; k++) own[k] = ZERO + zd[k];
    for (int e = 0; e < length; e += LANES) {
        VECTOR sum = LOAD(rate + e), weight = LOAD(weights + e);
        for (int k = 0; k < many; k++) {
            VECTOR x = LOAD(slots + (size_t)k * rows + e);
            sum += own[k] * x;
            part[k] += weight * x;
        }
        STORE(rate + e, sum);
    }
    for (int k = 0; k < many; k++) out[k] += NAME(sum)(part + k);
}

/* A symmetric matrix (n, w) from its upper triangle by rows, which has room for a row behind it; zeros behind n. */
INLINE TARGET void NAME(unpack_wide)(const double *packed, int n, const int w, double *to) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < w; j += LANES) STORE(to + i * w + i + j, LOAD(packed + j));
        packed += n - i;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) to[i * w + j] = to[j * w + i];
        for (int j = n; j < w; j++) to[i * w + j] = 0.0;
    }
}

static TARGET void NAME(unpack)(const double *packed, int n, int w, double *to) {
    if (w == KT_CHUNK) NAME(unpack_wide)(packed, n, KT_CHUNK, to);
    else if (w == 2 * KT_CHUNK) NAME(unpack_wide)(packed, n, 2 * KT_CHUNK, to);
    else NAME(unpack_wide)(packed, n, w, to);
}

/* A positive definite a (n, w), w a multiple of eight, becomes its inverse, by Gauss-Jordan elimination.
 * Returns -1, or the row whose pivot is not positive and finite; that pivot is then in *bad. */
INLINE TARGET int NAME(invert_chunks)(double *a, int n, const int chunks, double *bad) {
    const int w = chunks * LANES;
    for (int k = 0; k < n; k++) {
        double *from = a + (size_t)k * w, pivot = from[k];
        if (!(pivot > 0.0 && pivot < HUGE_VAL)) {
            *bad = pivot;
            return k;
        }
        double per = 1.0 / pivot;
        VECTOR own[MOST_WIDE / LANES], zero[MOST_WIDE / LANES];
        for (int j = 0; j < chunks; j++) { /* a one in place k, without a store for it */
            zero[j] = LOAD(without + MOST_WIDE - k + LANES * j);
            own[j] = per * (LOAD(from + LANES * j) * zero[j] + LOAD(only + MOST_WIDE - k + LANES * j));
            STORE(from + LANES * j, own[j]);
        }
        for (int i = 0; i < n; i++) {
            double *row = a + (size_t)i * w, factor = row[k];
            if (i == k) continue;
            for (int j = 0; j < chunks; j++) STORE(row + LANES * j, LOAD(row + LANES * j) * zero[j] - factor * own[j]);
        }
    }
    return -1;
}

static TARGET int NAME(invert)(double *a, int n, int w, double *bad) {
    if (w == KT_CHUNK) return NAME(invert_chunks)(a, n, KT_CHUNK / LANES, bad);
    if (w == 2 * KT_CHUNK) return NAME(invert_chunks)(a, n, 2 * KT_CHUNK / LANES, bad);
    return NAME(invert_chunks)(a, n, w / LANES, bad);
}

/* As many vectors as they have lanes become their transpose. */
INLINE TARGET void NAME(turn)(VECTOR *r) {
#if LANES == 8
    VECTOR t[8], u[8];
    for (int i = 0; i < 8; i += 2) {
        t[i] = SHUFFLE(r[i], r[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        t[i + 1] = SHUFFLE(r[i], r[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int i = 0; i < 8; i += 4)
        for (int k = 0; k < 2; k++) {
            u[i + k] = SHUFFLE(t[i + k], t[i + 2 + k], 0, 1, 4, 5, 8, 9, 12, 13);
            u[i + 2 + k] = SHUFFLE(t[i + k], t[i + 2 + k], 2, 3, 6, 7, 10, 11, 14, 15);
        }
    for (int i = 0; i < 4; i++) {
        r[i] = SHUFFLE(u[i], u[i + 4], 0, 1, 4, 5, 8, 9, 12, 13);
        r[i + 4] = SHUFFLE(u[i], u[i + 4], 2, 3, 6, 7, 10, 11, 14, 15);
    }
#else
    for (int i = 0; i < LANES; i++)
        for (int k = 0; k < i; k++) {
            double keep = r[i][k];
            r[i][k] = r[k][i];
            r[k][i] = keep;
        }
#endif
}

/* LANES numbers from e on of as many slots from k on, one vector per number; zeros from slot n on. */
INLINE TARGET void NAME(turn_slots)(const double *slots, size_t rows, int e, int k, int n, VECTOR *r) {
    for (int i = 0; i < LANES; i++) r[i] = k + i < n ? LOAD(slots + (size_t)(k + i) * rows + e) : ZERO;
    NAME(turn)(r);
}

/* out (n, w) = how J zd changes with each coordinate, [i, k] = sum_j d_k J_ij zd_j; slots of J, upper triangle by rows. */
static TARGET void NAME(momenta)(const double *slots, size_t rows, const double *zd, int n, int w, double *out) {
    for (int e = 0; e < n * w; e += LANES) STORE(out + e, ZERO);
    for (int k = 0; k < w; k += LANES) {
        VECTOR r[LANES];
        for (int i = 0, e = 0; i < n; i++) {
            VECTOR own = LOAD(out + i * w + k);
            for (int j = i; j < n; j++, e++) {
                if (e % LANES == 0) NAME(turn_slots)(slots, rows, e, k, n, r);
                double *other = out + j * w + k;
                own += zd[j] * r[e % LANES];
                if (j > i) STORE(other, LOAD(other) + zd[i] * r[e % LANES]);
            }
            STORE(out + i * w + k, own);
        }
    }
}

/* K = K0 - sum_i along_i x_i x_i^T over the numbers i of n slots and, unless C is NULL, C the same with rate. */
INLINE TARGET void NAME(wide_squares)(const Squares *s, const int w) {
    const int n = s->n, count = s->count;
    for (int e = 0; e < count; e += LANES)
        for (int k = 0; k < w; k += LANES) {
            VECTOR r[LANES];
            NAME(turn_slots)(s->slots, s->rows, e, k, n, r);
            for (int i = 0; i < LANES && e + i < count; i++) {
                double *to = s->work + (size_t)(e + i) * (size_t)(3 * w) + k;
                STORE(to, r[i]);
                STORE(to + w, s->along[e + i] * r[i]);
                STORE(to + 2 * w, s->rate[e + i] * r[i]);
            }
        }
    for (int k = 0, at = 0; k < n; k++)
        for (int j = 0; j < w; j += LANES, at += LANES) {
            VECTOR K = LOAD(s->K0 + at), C = ZERO;
            const double *x = s->work;
            for (int i = 0; i < count; i++, x += 3 * w) {
                const double own = x[k];
                K -= own * LOAD(x + w + j);
                C -= own * LOAD(x + 2 * w + j);
            }
            STORE(s->K + at, K);
            if (s->C) STORE(s->C + at, LOAD(s->C0 + at) + C);
        }
}

static TARGET void NAME(squares)(const Squares *s) {
    if (s->wide == KT_CHUNK) NAME(wide_squares)(s, KT_CHUNK);
    else if (s->wide == 2 * KT_CHUNK) NAME(wide_squares)(s, 2 * KT_CHUNK);
    else NAME(wide_squares)(s, s->wide);
}

/* out = M + g (C + g K), of a size that is a multiple of eight. */
static TARGET void NAME(add_matrices)(const double *M, const double *C, const double *K, double g, int size, double *out) {
    for (int e = 0; e < size; e += LANES) STORE(out + e, LOAD(M + e) + g * (LOAD(C + e) + g * LOAD(K + e)));
}

/* y += factor a^T x for a (n, w). */
INLINE TARGET void NAME(multiply_wide)(const double *a, int n, const int w, double factor, const double *x, double *y) {
    for (int j = 0; j < w; j += LANES) {
        VECTOR even = ZERO, odd = ZERO; /* neither waits for the other */
        const double *from = a + j;
        int k = 0;
        for (; k + 1 < n; k += 2, from += 2 * w) {
            even += x[k] * LOAD(from);
            odd += x[k + 1] * LOAD(from + w);
        }
        if (k < n) even += x[k] * LOAD(from);
        STORE(y + j, LOAD(y + j) + factor * (even + odd));
    }
}

static TARGET void NAME(multiply)(const double *a, int n, int w, double factor, const double *x, double *y) {
    NAME(multiply_wide)(a, n, w, factor, x, y);
}

/* force (n) -= (d/dt J) u - 1/2 u (dJ/dz) u from the slopes of J, upper triangle by rows; u has zeros behind n up to w;
 * rate gets d/dt J, work has room for a matrix. */
INLINE TARGET void NAME(wide_quadratic)(const double *slots, size_t rows, const double *zd, const double *u, int n,
                                        const int w, double *rate, double *weights, double *work, double *force) {
    const int length = (n * (n + 1) / 2 + LANES - 1) / LANES * LANES;
    double own[2 * MOST_WIDE], out[MOST_WIDE]; /* u, and zeros behind it */
    for (int j = 0; j < w; j += LANES) {
        STORE(own + j, LOAD(u + j));
        STORE(own + w + j, ZERO);
    }
    NAME(weigh_rates)(own, n, w, weights);
    for (int e = 0; e < length; e += LANES) STORE(rate + e, ZERO);
    int k = 0;
    for (; k + 7 < n; k += 8, slots += 8 * rows) NAME(add_rates)(slots, rows, zd + k, weights, length, 8, rate, force + k);
    for (; k + 2 < n; k += 3, slots += 3 * rows) NAME(add_rates)(slots, rows, zd + k, weights, length, 3, rate, force + k);
    for (; k < n; k++, slots += rows) NAME(add_rates)(slots, rows, zd + k, weights, length, 1, rate, force + k);
    for (int j = 0; j < w; j += LANES) STORE(out + j, ZERO);
    NAME(unpack_wide)(rate, n, w, work);
    NAME(multiply_wide)(work, n, w, 1.0, own, out);
    for (int i = 0; i < n; i++) force[i] -= out[i];
}

static TARGET void NAME(quadratic)(const double *slots, size_t rows, const double *zd, const double *u, int n, int w,
                                   double *rate, double *weights, double *work, double *force) {
    if (w == KT_CHUNK) NAME(wide_quadratic)(slots, rows, zd, u, n, KT_CHUNK, rate, weights, work, force);
    else if (w == 2 * KT_CHUNK) NAME(wide_quadratic)(slots, rows, zd, u, n, 2 * KT_CHUNK, rate, weights, work, force);
    else NAME(wide_quadratic)(slots, rows, zd, u, n, w, rate, weights, work, force);
}

/* Equations (3) and (4) of rosenbrock.py for stage i. */
INLINE TARGET void NAME(wide_stage)(const Stages *s, int i, const int w) {
    double *x = s->x, *y = s->y, *right = s->right, *found = s->w + i * w;
    for (int c = 0; c < w; c += LANES) {
        VECTOR sum = LOAD(s->zd + c), rate = ZERO;
        for (int j = 0; j < i; j++) {
            sum += s->before[i][j] * LOAD(s->p + j * w + c);
            rate += s->before[i][j] * LOAD(s->w + j * w + c);
        }
        STORE(x + c, sum);
        STORE(y + c, rate);
        STORE(right + c, s->g * LOAD(s->force + c));
        STORE(found + c, ZERO);
    }
    NAME(multiply_wide)(s->K, s->n, w, -s->g * s->g, x, right);
    if (i) NAME(multiply_wide)(s->M, s->n, w, s->g, y, right);
    NAME(multiply_wide)(s->inverse, s->n, w, 1.0, right, found);
    for (int c = 0; c < w; c += LANES) STORE(s->p + i * w + c, s->g * (LOAD(x + c) + LOAD(found + c)));
}

static TARGET void NAME(stage)(const Stages *s, int i) {
    if (s->wide == KT_CHUNK) NAME(wide_stage)(s, i, KT_CHUNK);
    else if (s->wide == 2 * KT_CHUNK) NAME(wide_stage)(s, i, 2 * KT_CHUNK);
    else NAME(wide_stage)(s, i, s->wide);
}

/* out += factor_a a^T x + factor_b b^T y for a and b (n, w). */
INLINE TARGET void NAME(multiply_both)(const double *a, double factor_a, const double *x, const double *b, double factor_b,
                                       const double *y, int n, const int w, double *out) {
    for (int j = 0; j < w; j += LANES) {
        VECTOR ax = ZERO, by = ZERO, ax1 = ZERO, by1 = ZERO; /* none waits for another */
        int k = 0;
        for (; k + 1 < n; k += 2) {
            ax += x[k] * LOAD(a + k * w + j);
            by += y[k] * LOAD(b + k * w + j);
            ax1 += x[k + 1] * LOAD(a + (k + 1) * w + j);
            by1 += y[k + 1] * LOAD(b + (k + 1) * w + j);
        }
        if (k < n) {
            ax += x[k] * LOAD(a + k * w + j);
            by += y[k] * LOAD(b + k * w + j);
        }
        STORE(out + j, LOAD(out + j) + (factor_a * (ax + ax1) + factor_b * (by + by1)));
    }
}

/* Equations (3) and (4) of midpoint.py. */
INLINE TARGET void NAME(wide_powers)(const Powers *s, const int w) {
    static const double B[4] = {1.0 / 4.0, -1.0 / 12.0, 17.0 / 12.0, -7.0 / 12.0};
    const double h = s->h, g = KT_POWER * h;
    double p[MOST_WIDE], found[MOST_WIDE], right[MOST_WIDE];
    for (int c = 0; c < w; c += LANES) {
        STORE(p + c, h * LOAD(s->zd + c));
        STORE(right + c, h * LOAD(s->force + c));
    }
    NAME(multiply_both)(s->C, 0.5 * h * h, s->zdd, s->K, (0.5 * h - g) * h, s->zd, s->n, w, right);
    for (int i = 0;; i++) {
        for (int c = 0; c < w; c += LANES) STORE(found + c, ZERO);
        NAME(multiply_wide)(s->inverse, s->n, w, 1.0, right, found);
        for (int c = 0; c < w; c += LANES) {
            VECTOR rate = LOAD(found + c), way = LOAD(p + c) + g * rate;
            STORE(p + c, way);
            STORE(s->z + c, LOAD(s->z + c) + B[i] * way);
            STORE(s->zd + c, LOAD(s->zd + c) + B[i] * rate);
            STORE(right + c, ZERO);
        }
        if (i == 3) return;
        NAME(multiply_both)(s->M, 1.0, found, s->K, -g, p, s->n, w, right);
    }
}

static TARGET void NAME(powers)(const Powers *s) {
    if (s->wide == KT_CHUNK) NAME(wide_powers)(s, KT_CHUNK);
    else if (s->wide == 2 * KT_CHUNK) NAME(wide_powers)(s, 2 * KT_CHUNK);
    else NAME(wide_powers)(s, s->wide);
}
