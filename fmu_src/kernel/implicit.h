/* Linearly implicit steps of models with stiff coordinates; see rosenbrock.py, midpoint.py and tangent.py, whose equations
 * are named here.  Matrices are (nz, WIDE) and transposed: a product with a vector then adds up rows of memory. */

#define GAMMA 0.5
#define LATER (2.0 / 3.0) /* the time of the second evaluation, in steps */
#define FIRST 2           /* stages that use the first evaluation */
#define STAGES 5
#define POWER 0.25
#define LASTING 8
#define OTHER 0.1

static const double POINT[FIRST] = {4.0 / 3.0, 4.0 / 9.0};
static const double BEFORE[STAGES][STAGES] = {{0},
                                              {-2.0},
                                              {0.0, -32.0 / 9.0},
                                              {0.0, -22.0 / 9.0, -1.0 / 2.0},
                                              {4.0 / 9.0, -110.0 / 81.0, 0.0, -8.0 / 9.0}};
static const double WEIGHT[STAGES] = {0.0, 11.0 / 4.0, 0.0, 0.0, 9.0 / 4.0};
static const double POWERS[4] = {1.0 / 4.0, -1.0 / 12.0, 17.0 / 12.0, -7.0 / 12.0};

/* --- matrices ----------------------------------------------------------------------------------------------------- */

/* y += factor A x */
INLINE void multiply(const int nz, const double *A, double factor, const double *x, double *y) {
    const int wide = (nz + LANES - 1) / LANES * LANES;
    for (int j = 0; j < wide; j += LANES) {
        vec s[4] = {zero(), zero(), zero(), zero()};
        UNROLL for (int i = 0; i < nz; i++) s[i % 4] = axpy(s[i % 4], x[i], load(A + i * wide + j));
        store(y + j, axpy(load(y + j), factor, add(add(s[0], s[1]), add(s[2], s[3]))));
    }
}

/* Ones with a zero in the middle, zeros with a one in the middle: they slide over a row, so that no number of it is stored
 * alone. */
#define EIGHT(x) x, x, x, x, x, x, x, x
#define MANY(x) EIGHT(x), EIGHT(x), EIGHT(x), EIGHT(x), EIGHT(x), EIGHT(x), EIGHT(x), EIGHT(x)
static const double without[129] = {MANY(1), 0, MANY(1)}, only[129] = {MANY(0), 1, MANY(0)};

/* Gauss and Jordan, without pivoting: 0 unless a pivot is not positive. */
static int invert(const int nz, double *a) {
    const int wide = (nz + LANES - 1) / LANES * LANES;
    for (int i = 0; i < nz; i++) {
        const double pivot = a[i * wide + i], per = 1.0 / pivot;
        vec own[WIDE_MOST / LANES], rest[WIDE_MOST / LANES];
        if (!(pivot > 0.0 && pivot < HUGE_VAL)) return 1;
        for (int j = 0; j < wide / LANES; j++) {
            rest[j] = load(without + 64 - i + j * LANES);
            own[j] = times(per, fma_of(load(only + 64 - i + j * LANES), rest[j], load(a + i * wide + j * LANES)));
        }
        for (int l = 0; l < nz; l++) {
            const double factor = a[l * wide + i];
            for (int j = 0; j < wide / LANES; j++) {
                double *at = a + l * wide + j * LANES;
                store(at, axpy(fma_of(zero(), rest[j], load(at)), -factor, own[j]));
            }
        }
        for (int j = 0; j < wide / LANES; j++) store(a + i * wide + j * LANES, own[j]);
    }
    return 0;
}

/* A becomes the inverse of M + g C + g^2 K, all transposed. */
static int factorize(Kernel *k, double g) {
    WITH_MODEL(k);
    const int nz = NZ, wide = WIDE;
    for (int i = 0; i < nz * wide; i++) k->A[i] = k->M[i] + g * (k->C[i] + g * k->K[i]);
    if (!invert(nz, k->A)) return OK;
    double *a = k->work, *right = k->A; /* a falling characteristic: with pivoting */
    for (int i = 0; i < nz; i++)
        for (int j = 0; j < nz; j++) a[i * nz + j] = k->M[i * wide + j] + g * (k->C[i * wide + j] + g * k->K[i * wide + j]);
    for (int i = 0; i < nz * nz; i++) right[i] = i % (nz + 1) == 0;
    if (!kt_lu_solve(a, nz, right, nz))
        return kt_fail(k, FAILED,
                       "the matrix of an implicit step is singular: a stiffness or damping is negative or not finite; check the "
                       "parameters of the springs and bushings");
    for (int i = nz - 1; i >= 0; i--)
        for (int j = wide - 1; j >= 0; j--) k->A[i * wide + j] = j < nz ? right[i * nz + j] : 0.0;
    return OK;
}

/* to (nz, WIDE) += factor (a b^T + b a^T) / 2 for gradients of measures */
INLINE void add_product(const int nz, const double *slope, size_t rows, int a, int b, double factor, double *to) {
    const int wide = (nz + LANES - 1) / LANES * LANES;
    for (int i = 0; i < nz; i++)
        for (int j = 0; j < nz; j++)
            to[i * wide + j] += 0.5 * factor * (slope[(size_t)i * rows + a] * slope[(size_t)j * rows + b] +
                                                slope[(size_t)i * rows + b] * slope[(size_t)j * rows + a]);
}

/* Slopes of all laws on the measures from `first` to `last`, at their values and rates: df/ds and df/dsdot, with other sign. */
static void law_slopes(Kernel *k, const RowSet *set, int first, int last, double *along, double *rate) {
    WITH_MODEL(k);
    const Chart *c = m->chart + set->chart;
    for (int i = first; i < last; i++) {
        along[i - first] = k->stiffness[c->s + i];
        rate[i - first] = k->damping[c->s + i];
    }
    for (int b = 0; b < BENDS; b++) {
        const int i = m->bend[b].measure, row = c->s + i;
        double slopes[2] = {0.0, 0.0};
        if (i < first || i >= last) continue;
        kt_law_slopes(m->bend[b].law, k->parameters, set->value[row], set->rate[row], slopes, slopes + 1);
        along[i - first] -= slopes[0];
        rate[i - first] -= slopes[1];
    }
}

/* K and C += those of the measures from `first` to `last` and of their couplings, (1) and (2). */
static void add_tangents(Kernel *k, const RowSet *set, int first, int last, double *K, double *C) {
    WITH_MODEL(k);
    const Chart *c = m->chart + set->chart;
    const int nz = NZ, wide = WIDE;
    double along[KT_CHUNK], rate[KT_CHUNK];
    for (int block = first; block < last; block += KT_CHUNK) {
        const int count = last - block < KT_CHUNK ? last - block : KT_CHUNK;
        law_slopes(k, set, block, block + count, along, rate);
        for (int e = 0; e < count; e++) {
            double x[WIDE_MOST];
            for (int i = 0; i < wide; i++) x[i] = i < nz ? set->slope[(size_t)i * ROWS + c->s + block + e] : 0.0;
            for (int i = 0; i < nz; i++) {
                const double a = along[e] * x[i], b = rate[e] * x[i];
                for (int j = 0; j < wide; j += LANES) {
                    store(K + i * wide + j, axpy(load(K + i * wide + j), a, load(x + j)));
                    store(C + i * wide + j, axpy(load(C + i * wide + j), b, load(x + j)));
                }
            }
        }
    }
    for (int i = 0; i < COUPLINGS; i++) {
        const Coupling *pair = m->coupling + i;
        const int a = m->element[pair->a].measure, b = m->element[pair->b].measure;
        if (a < first || a >= last) continue;
        add_product(nz, set->slope, (size_t)ROWS, c->s + a, c->s + b, 2.0 * k->parameters[pair->stiffness], K);
        add_product(nz, set->slope, (size_t)ROWS, c->s + a, c->s + b, 2.0 * k->parameters[pair->damping], C);
    }
}

/* K1 and C1: of the measures that do not vary, with the gradients that they have where they are expanded about. */
static int find_fixed(Kernel *k, const State *state) {
    WITH_MODEL(k);
    if (k->fixed_known) return OK;
    const size_t bytes = (size_t)(NZ * WIDE) * sizeof(double);
    double flat[NZ_MOST] = {0.0};
    memset(k->K1, 0, bytes);
    memset(k->C1, 0, bytes);
    if (m->varying < m->measures) {
        memcpy(flat, state->z, (size_t)NF * sizeof *flat);
        for (int i = 0; i < NS; i++) flat[NF + i] = m->stiff[i].about;
        push(k, state->chart, state->lap);
        int status = read_slopes(k, k->rows + 1, state->chart, flat);
        if (status) return status;
        add_tangents(k, k->rows + 1, m->varying, m->measures, k->K1, k->C1);
    }
    k->fixed_known = 1;
    return OK;
}

/* The equation of a driven coordinate is that of its drive. */
static void drive_equations(Kernel *k) {
    WITH_MODEL(k);
    for (int d = 0; d < DRIVES; d++) {
        const int a = m->drive[d].axis;
        const double T = m->drive[d].filter_time;
        for (int i = 0; i < NZ; i++) k->M[i * WIDE + a] = k->C[i * WIDE + a] = k->K[i * WIDE + a] = 0.0;
        k->M[a * WIDE + a] = 1.0;
        if (T == 0.0) continue;
        k->C[a * WIDE + a] = 2.0 / T;
        k->K[a * WIDE + a] = 1.0 / (T * T);
    }
}

INLINE void unpack(const int nz, const double *packed, double *to) {
    const int wide = (nz + LANES - 1) / LANES * LANES;
    for (int i = 0; i < nz; i++)
        for (int j = 0; j < wide; j++) to[i * wide + j] = j < nz ? packed[entry(nz, i, j)] : 0.0;
}

/* C += dc/dzd - dQ_frame/dzd, (3) and (4); transposed. */
static void add_gyration(Kernel *k, const RowSet *set, const double *zd, const double *inputs) {
    WITH_MODEL(k);
    const Chart *c = m->chart + set->chart;
    const int nz = NZ, wide = WIDE;
    for (int i = 0; i < nz; i++)
        for (int j = 0; j < nz; j++) {
            double apart = set->rate[entry(nz, i, j)]; /* entry (j, i) of C */
            for (int l = 0; l < nz; l++)
                apart += zd[l] * (set->slope[(size_t)i * ROWS + entry(nz, j, l)] - set->slope[(size_t)j * ROWS + entry(nz, i, l)]);
            for (int a = 0; a < 6 && MOVING; a++)
                apart += inputs[m->twist + a] * (set->slope[(size_t)i * ROWS + c->N + a * nz + j] -
                                                 set->slope[(size_t)j * ROWS + c->N + a * nz + i]);
            k->C[i * wide + j] += apart;
        }
}

/* What accelerates the coordinates, (nz); accelerations of driven ones. */
INLINE int forces_at(Kernel *k, RowSet *set, const State *at, const double *inputs, const int keep, double *force) {
    WITH_MODEL(k);
    int status = moving_force(k, set, at->chart, at->lap, at->z, at->zd, at->zd, inputs, keep, force);
    double sum = 0.0, zdd[NZ_MOST];
    if (status) return status;
    for (int i = 0; i < NZ; i++) sum += force[i];
    if (!isfinite(sum)) return solve_motion(k, set, at->z, at->zd, force, inputs, zdd); /* it says so */
    for (int d = 0; d < DRIVES; d++) force[m->drive[d].axis] = drive_acceleration(m->drive + d, at->z, at->zd, inputs);
    return OK;
}

/* --- two evaluations, order 3 ------------------------------------------------------------------------------------- */

static int rosenbrock_step(Kernel *k, State *state, double tau, double h) {
    WITH_MODEL(k);
    const double g = GAMMA * h;
    double p[STAGES][WIDE_MOST] = {{0.0}}, w[STAGES][WIDE_MOST] = {{0.0}}, z[WIDE_MOST], zd[WIDE_MOST], zdd[WIDE_MOST],
           force[WIDE_MOST] = {0.0};
    State at = {.chart = state->chart, .lap = state->lap, .z = z, .zd = zd};
    memcpy(z, state->z, (size_t)NZ * sizeof *z);
    memcpy(zd, state->zd, (size_t)NZ * sizeof *z);
    const double *inputs = inputs_at(k, tau);
    int status = find_fixed(k, state);
    if (!status) status = forces_at(k, k->rows, &at, inputs, 1, force);
    if (status) return status;
    memset(k->K, 0, (size_t)(NZ * WIDE) * sizeof *k->K);
    memset(k->C, 0, (size_t)(NZ * WIDE) * sizeof *k->C);
    unpack(NZ, k->rows->value, k->M);
    add_tangents(k, k->rows, 0, m->measures, k->K, k->C);
    add_gyration(k, k->rows, zd, inputs);
    drive_equations(k);
    if ((status = factorize(k, g))) return status;
    for (int i = 0; i < STAGES; i++) {
        if (i == FIRST) { /* (2) */
            for (int j = 0; j < FIRST; j++)
                for (int l = 0; l < NZ; l++) {
                    z[l] += POINT[j] * p[j][l];
                    zd[l] += POINT[j] * w[j][l];
                }
            inputs = inputs_at(k, tau + LATER * h);
            status = moving_force(k, k->rows + 1, at.chart, at.lap, z, zd, zd, inputs, 0, force);
            if (!status) status = solve_motion(k, k->rows + 1, z, zd, force, inputs, zdd);
            if (status) return status;
            memset(force, 0, sizeof force);
            multiply(NZ, k->M, 1.0, zdd, force);
        }
        double P[WIDE_MOST], W[WIDE_MOST], right[WIDE_MOST] = {0.0};
        for (int l = 0; l < NZ; l++) {
            P[l] = zd[l];
            W[l] = 0.0;
            for (int j = 0; j < i; j++) {
                P[l] += BEFORE[i][j] / h * p[j][l];
                W[l] += BEFORE[i][j] / h * w[j][l];
            }
            right[l] = g * force[l];
        }
        multiply(NZ, k->M, g, W, right); /* (4) */
        multiply(NZ, k->K, -g * g, P, right);
        multiply(NZ, k->A, 1.0, right, w[i]);
        for (int l = 0; l < NZ; l++) p[i][l] = g * (P[l] + w[i][l]); /* (3) */
    }
    for (int i = 0; i < STAGES; i++)
        for (int l = 0; l < NZ; l++) {
            state->z[l] += WEIGHT[i] * p[i][l];
            state->zd[l] += WEIGHT[i] * w[i][l];
        }
    return OK;
}

/* --- midpoint rule: one evaluation, order 2 ----------------------------------------------------------------------- */

/* Slopes of the laws that are not linear, (bends, 2). */
INLINE void slopes_of_bends(const Kernel *k, const RowSet *set, double *slopes) {
    WITH_MODEL(k);
    for (int b = 0; b < BENDS; b++) {
        const int row = m->chart[set->chart].s + m->bend[b].measure;
        slopes[2 * b] = slopes[2 * b + 1] = 0.0;
        kt_law_slopes(m->bend[b].law, k->parameters, set->value[row], set->rate[row], slopes + 2 * b, slopes + 2 * b + 1);
    }
}

/* Matrices of a step where rows are read, near those of `linear_motion` and symmetric but for drives. */
static int find_matrices(Kernel *k, const RowSet *set, double h) {
    WITH_MODEL(k);
    const size_t bytes = (size_t)(NZ * WIDE) * sizeof(double);
    memcpy(k->K, k->K1, bytes);
    memcpy(k->C, k->C1, bytes);
    memcpy(k->M_then, set->value, (size_t)NJ * sizeof(double));
    unpack(NZ, set->value, k->M);
    add_tangents(k, set, 0, m->varying, k->K, k->C);
    drive_equations(k);
    slopes_of_bends(k, set, k->bend_slopes);
    k->served_step = h;
    return factorize(k, POWER * h);
}

/* force -= (M_now - M_then) (2 zdd - zdd_before), (2a). */
INLINE void subtract_change(const Kernel *k, const RowSet *set, const State *state, double *force) {
    WITH_MODEL(k);
    double change[NZ_MOST * (NZ_MOST + 1) / 2], zdd[NZ_MOST], driven[KT_MOST_Z];
    for (int e = 0; e < NJ; e++) change[e] = set->value[e] - k->M_then[e];
    for (int i = 0; i < NZ; i++) zdd[i] = 2.0 * state->zdd[i] - state->zdd_before[i];
    for (int d = 0; d < DRIVES; d++) driven[d] = force[m->drive[d].axis];
    subtract_product(NZ, change, zdd, force);
    for (int d = 0; d < DRIVES; d++) force[m->drive[d].axis] = driven[d];
}

/* A step with the matrices that are there, by powers of A, (3) and (4). */
static void take_powers(Kernel *k, State *state, double h, const double *force) {
    WITH_MODEL(k);
    const double g = POWER * h;
    double p[WIDE_MOST], right[WIDE_MOST], z1[WIDE_MOST], zd1[WIDE_MOST], v[WIDE_MOST], a[WIDE_MOST];
    for (int i = 0; i < WIDE; i++) {
        z1[i] = i < NZ ? state->z[i] : 0.0;
        zd1[i] = v[i] = i < NZ ? state->zd[i] : 0.0;
        a[i] = i < NZ ? state->zdd[i] : 0.0;
        p[i] = h * v[i];
        right[i] = i < NZ ? h * force[i] : 0.0;
    }
    multiply(NZ, k->C, 0.5 * h * h, a, right);
    multiply(NZ, k->K, (0.5 * h - g) * h, v, right);
    for (int i = 0; i < 4; i++) {
        double w[WIDE_MOST];
        for (int l = 0; l < WIDE; l++) w[l] = 0.0;
        multiply(NZ, k->A, 1.0, right, w);
        for (int l = 0; l < WIDE; l++) {
            p[l] += g * w[l];
            z1[l] += POWERS[i] * p[l];
            zd1[l] += POWERS[i] * w[l];
            right[l] = 0.0;
        }
        if (i == 3) break;
        multiply(NZ, k->M, 1.0, w, right);
        multiply(NZ, k->K, -g, p, right);
    }
    for (int i = 0; i < NZ; i++) {
        state->zdd_before[i] = state->zdd[i];
        state->zdd[i] = (zd1[i] - state->zd[i]) * (1.0 / h);
        state->z[i] = z1[i];
        state->zd[i] = zd1[i];
    }
}

static int midpoint_step(Kernel *k, State *state, double tau, double h) {
    WITH_MODEL(k);
    double z[WIDE_MOST] = {0.0}, zd[WIDE_MOST] = {0.0}, force[WIDE_MOST] = {0.0};
    State at = {.chart = state->chart, .lap = state->lap, .z = z, .zd = zd};
    RowSet *set = k->rows;
    int fresh = !(*state->age > 0.0 && *state->age < LASTING), status = find_fixed(k, state);
    for (int i = 0; i < NZ; i++) { /* (1) */
        z[i] = state->z[i] + 0.5 * h * state->zd[i];
        zd[i] = state->zd[i] + 0.5 * h * state->zdd[i];
        fresh |= fabs(z[i] - state->z_then[i]) > m->far[i];
    }
    const double *inputs = inputs_at(k, tau + 0.5 * h);
    if (!status && !fresh && k->served_step != h) { /* matrices where they were found before, which are not there any more */
        State then = {.chart = state->chart, .lap = state->lap, .z = state->z_then, .zd = state->zd_then};
        status = forces_at(k, set, &then, inputs, 0, force);
        if (!status) status = find_matrices(k, set, h);
    }
    if (!status) status = forces_at(k, set, &at, inputs, 0, force);
    if (status) return status;
    double *now = k->bend_slopes + 2 * BENDS;
    slopes_of_bends(k, set, now);
    for (int e = 0; e < 2 * BENDS; e++) fresh |= fabs(now[e] - k->bend_slopes[e]) > OTHER * fmax(fabs(now[e]), fabs(k->bend_slopes[e]));
    if (fresh) {
        memcpy(state->z_then, z, (size_t)NZ * sizeof *z);
        memcpy(state->zd_then, zd, (size_t)NZ * sizeof *z);
        *state->age = 0.0;
        if ((status = find_matrices(k, set, h))) return status;
    } else
        subtract_change(k, set, state, force);
    *state->age += 1.0;
    take_powers(k, state, h, force);
    return OK;
}
