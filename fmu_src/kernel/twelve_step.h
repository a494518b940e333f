/* A midpoint step of nine to twelve coordinates: (1) to (4) of midpoint.py with matrices in registers; after twelve.h. */

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
