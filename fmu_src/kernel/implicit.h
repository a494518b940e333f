/* Linearly implicit steps; see rosenbrock.py and midpoint.py, whose equations are named here. */

#define GAMMA 0.5
#define LATER (2.0 / 3.0) /* the time of the second evaluation, in steps */
#define FIRST 2           /* stages that use the first evaluation */
#define STAGES 5
#define POWER 0.25
#define LASTING 8
#define OTHER 0.1
#define AHEAD 1e-5 /* of an axis: the difference of (7) of tangent.py */

static const double POINT[FIRST] = {4.0 / 3.0, 4.0 / 9.0};
static const double BEFORE[STAGES][STAGES] = {{0},
                                              {-2.0},
                                              {0.0, -32.0 / 9.0},
                                              {0.0, -22.0 / 9.0, -1.0 / 2.0},
                                              {4.0 / 9.0, -110.0 / 81.0, 0.0, -8.0 / 9.0}};
static const double WEIGHT[STAGES] = {0.0, 11.0 / 4.0, 0.0, 0.0, 9.0 / 4.0};
static const double POWERS[4] = {1.0 / 4.0, -1.0 / 12.0, 17.0 / 12.0, -7.0 / 12.0};

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

/* Where a stage of states begins, (nx). */
INLINE double *stage_of(const Kernel *k, int stage) { return work_of(k, STAGES_OF + stage); }

/* The part of devices in a stage: velocities v of (3), and what the inverse of B makes of (4), which becomes w. */
INLINE void rosenbrock_states(Kernel *k, int stage, double h, const double *v, double *w) {
    WITH_MODEL(k);
    const double g = GAMMA * h;
    double *y = work_of(k, ON_MEASURES), *f = work_of(k, FORCES), *r = work_of(k, RATES);
    project(k, v, y);
    for (int i = 0; i < CONNECTIONS; i++) {
        y[i] *= g;
        f[i] = 0.0;
    }
    for (int i = 0; i < STATES; i++) {
        r[i] = k->device_rate[i];
        for (int j = 0; j < stage; j++) r[i] += BEFORE[stage][j] / h * stage_of(k, j)[i];
    }
    weave_stage(k, g, r, y, f, w, stage_of(k, stage));
}

/* K -= ds F_sdot D where devices read loads, (7) of tangent.py, with rows near rows[0] in rows[1]; transposed. */
static int add_turning(Kernel *k, const State *at) {
    WITH_MODEL(k);
    const Chart *c = m->chart + at->chart;
    const RowSet *here = k->rows, *there = k->rows + 1;
    double z[NZ_MOST], *D = work_of(k, ALONG), *f = work_of(k, MORE);
    for (int j = 0; j < NZ; j++) {
        memcpy(z, at->z, (size_t)NZ * sizeof *z);
        const double step = copysign(AHEAD * (c->axis[j].upper - c->axis[j].lower), at->zd[j]);
        z[j] += step;
        int status = read_slopes(k, k->rows + 1, at->chart, z);
        if (status) return status;
        for (int i = 0; i < CONNECTIONS; i++) {
            const size_t row = (size_t)(c->s + m->tie[i].measure);
            D[i] = f[i] = 0.0;
            for (int l = 0; l < NZ; l++) D[i] += at->zd[l] * (there->slope[(size_t)l * ROWS + row] - here->slope[(size_t)l * ROWS + row]);
            D[i] /= step;
        }
        EACH_DEVICE {
            const int n = d->connections;
            const double *F = k->device_F + d->slopes_at;
            for (int i = 0; i < n; i++, F += d->width)
                for (int l = 0; l < n; l++) f[d->first_connection + i] += F[n + l] * D[d->first_connection + l];
        }
        for (int i = 0; i < CONNECTIONS; i++)
            for (int l = 0; l < NZ; l++)
                k->K[j * WIDE + l] -= f[i] * here->slope[(size_t)l * ROWS + (size_t)(c->s + m->tie[i].measure)];
    }
    return OK;
}

static int rosenbrock_step(Kernel *k, State *state, double tau, double h) {
    WITH_MODEL(k);
    const double g = GAMMA * h;
    double p[STAGES][WIDE_MOST] = {{0.0}}, w[STAGES][WIDE_MOST] = {{0.0}}, z[WIDE_MOST], zd[WIDE_MOST], zdd[WIDE_MOST],
           force[WIDE_MOST] = {0.0};
    State at = {.chart = state->chart, .lap = state->lap, .z = z, .zd = zd};
    memcpy(z, state->z, (size_t)NZ * sizeof *z);
    memcpy(zd, state->zd, (size_t)NZ * sizeof *z);
    const double *inputs = inputs_at(k, tau);
    take_memory(k, state);
    k->sloped = 1;
    int status = forces_at(k, k->rows, &at, inputs, 1, force);
    k->sloped = 0;
    if (status) return status;
    memset(k->K, 0, (size_t)(NZ * WIDE) * sizeof *k->K);
    memset(k->C, 0, (size_t)(NZ * WIDE) * sizeof *k->C);
    unpack(NZ, k->rows->value, k->M);
    add_tangents(k, k->rows, at.lap, 0, m->measures, k->K, k->C);
    add_gyration(k, k->rows, zd, inputs);
    if (DEVICES && m->pressing && (status = add_turning(k, &at))) return status;
    drive_equations(k);
    if ((status = factorize(k, g))) return status;
    if (DEVICES && (status = weave(k, k->rows, g))) return status;
    for (int i = 0; i < STAGES; i++) {
        if (i == FIRST) { /* (2) */
            for (int j = 0; j < FIRST; j++)
                for (int l = 0; l < NZ; l++) {
                    z[l] += POINT[j] * p[j][l];
                    zd[l] += POINT[j] * w[j][l];
                }
            for (int l = 0; l < STATES; l++)
                for (int j = 0; j < FIRST; j++) k->device_x[l] += POINT[j] * stage_of(k, j)[l];
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
        if (DEVICES) rosenbrock_states(k, i, h, P, w[i]);
        for (int l = 0; l < NZ; l++) p[i][l] = g * (P[l] + w[i][l]); /* (3) */
    }
    for (int i = 0; i < STAGES; i++) {
        for (int l = 0; l < NZ; l++) {
            state->z[l] += WEIGHT[i] * p[i][l];
            state->zd[l] += WEIGHT[i] * w[i][l];
        }
        for (int l = 0; l < STATES; l++) state->x[l] += WEIGHT[i] * stage_of(k, i)[l];
    }
    keep_unknowns(k, state);
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
    add_tangents(k, set, 0, 0, m->varying, k->K, k->C);
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

/* The first power of states, q = h f, and what K, C and D of devices add to that of the coordinates: (5). */
static void begin_powers(Kernel *k, const State *state, double h) {
    WITH_MODEL(k);
    double *zd = work_of(k, SPEEDS), *zdd = work_of(k, ACCELERATIONS), *f = work_of(k, FORCES), *q = work_of(k, POWERS_OF);
    project(k, state->zd, zd);
    project(k, state->zdd, zdd);
    EACH_DEVICE {
        const int n = d->connections, first = d->first_connection;
        const double *F = k->device_F + d->slopes_at, *mean = state->mean + d->first_state;
        for (int i = 0; i < n + d->states; i++, F += d->width) {
            double sum = 0.0;
            for (int j = 0; j < n; j++) sum += F[j] * zd[first + j] + F[n + j] * zdd[first + j];
            for (int j = 0; j < d->states; j++) sum += F[2 * n + j] * mean[j];
            if (i < n) f[first + i] = -0.5 * h * h * sum;
            else q[d->first_state + i - n] = h * (k->device_rate[d->first_state + i - n] - 0.5 * h * sum);
        }
    }
    memcpy(work_of(k, NEXT), state->x, (size_t)STATES * sizeof *state->x);
}

/* The next power of states, (6) and (7): p are the positions before, w what the inverse of B makes of the right side. */
static void power_of_states(Kernel *k, int power, double g, const double *p, double *w) {
    WITH_MODEL(k);
    double *y = work_of(k, ON_MEASURES), *f = work_of(k, FORCES), *r = work_of(k, RATES);
    double *x1 = work_of(k, NEXT), *q = work_of(k, POWERS_OF);
    project(k, p, y);
    for (int i = 0; i < CONNECTIONS && power; i++) f[i] = 0.0;
    for (int i = 0; i < STATES; i++) r[i] = q[i] / g;
    weave_stage(k, g, r, y, f, w, q);
    for (int i = 0; i < STATES; i++) x1[i] += POWERS[power] * q[i];
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
    if (DEVICES) begin_powers(k, state, h);
    for (int i = 0; i < 4; i++) {
        double w[WIDE_MOST];
        for (int l = 0; l < WIDE; l++) w[l] = 0.0;
        multiply(NZ, k->A, 1.0, right, w);
        if (DEVICES) power_of_states(k, i, g, p, w);
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
    for (int i = 0; i < STATES; i++) {
        const double *x1 = work_of(k, NEXT);
        state->mean[i] = (x1[i] - state->x[i]) / h;
        state->x[i] = x1[i];
    }
    keep_unknowns(k, state);
}

static int midpoint_step(Kernel *k, State *state, double tau, double h) {
    WITH_MODEL(k);
    double z[WIDE_MOST] = {0.0}, zd[WIDE_MOST] = {0.0}, force[WIDE_MOST] = {0.0};
    take_memory(k, state);
    for (int i = 0; i < STATES; i++) k->device_x[i] += 0.5 * h * state->mean[i];
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
        k->idle = 1;
        status = forces_at(k, set, &then, inputs, 0, force);
        k->idle = 0;
        if (!status) status = find_matrices(k, set, h);
    }
    k->sloped = 1;
    if (!status) status = forces_at(k, set, &at, inputs, 0, force);
    k->sloped = 0;
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
    if (DEVICES && (status = weave(k, set, POWER * h))) return status;
    take_powers(k, state, h, force);
    return OK;
}
