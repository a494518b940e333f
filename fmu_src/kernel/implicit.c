/* Linearly implicit steps of models with stiff coordinates; see rosenbrock.py, whose equations are named here, and
 * midpoint.py. */
#include "internal.h"

#define GAMMA 0.5
#define LATER (2.0 / 3.0) /* the time of the second evaluation, in steps */
#define FIRST 2           /* stages that use the first evaluation */

static const double POINT[FIRST] = {4.0 / 3.0, 4.0 / 9.0};
static const double BEFORE[KT_STAGES][KT_STAGES] = {{0},
                                                    {-2.0},
                                                    {0.0, -32.0 / 9.0},
                                                    {0.0, -22.0 / 9.0, -1.0 / 2.0},
                                                    {4.0 / 9.0, -110.0 / 81.0, 0.0, -8.0 / 9.0}};
static const double WEIGHT[KT_STAGES] = {0.0, 11.0 / 4.0, 0.0, 0.0, 9.0 / 4.0};

/* C^T += (d/dt J)^T, of equation (3) of tangent.py; the rates of J are those of `kt_moving_force`. */
static void add_rates(kt_instance *instance, double *C) {
    int nz = instance->model.nz, w = instance->wide;
    const double *rate = instance->packed;
    for (int i = 0; i < nz; i++)
        for (int j = i; j < nz; j++, rate++) {
            C[i * w + j] += *rate;
            if (j > i) C[j * w + i] += *rate;
        }
}

/* C^T += (B - B^T)^T, of the same */
static void add_skew(kt_instance *instance, const double *zd, double *C) {
    const Model *m = &instance->model;
    int nz = m->nz, w = instance->wide, at = m->chart[instance->read_chart].J;
    double *B = instance->matrix;
    instance->hot->momenta(slot(instance, 1) + at, m->most_rows, zd, nz, w, B);
    for (int i = 0; i < nz; i++)
        for (int j = i + 1; j < nz; j++) {
            double apart = B[j * w + i] - B[i * w + j];
            C[i * w + j] += apart;
            C[j * w + i] -= apart;
        }
}

/* The equation of a driven coordinate is that of its drive, in transposes of M, C and K (nz, wide). */
static void drive_equations(kt_instance *instance) {
    const Model *m = &instance->model;
    int w = instance->wide;
    for (int d = 0; d < m->drives; d++) {
        int k = m->drive[d].axis;
        double T = m->drive[d].filter_time;
        for (int i = 0; i < m->nz; i++) instance->M[i * w + k] = instance->C[i * w + k] = instance->K[i * w + k] = 0.0;
        instance->M[k * w + k] = 1.0;
        if (T == 0.0) continue;
        instance->C[k * w + k] = 2.0 / T;
        instance->K[k * w + k] = 1.0 / (T * T);
    }
}

/* The transposes of M, K and C where the tables were read last, after `kt_moving_force`; those of `near_motion` or of
 * `linear_motion` in tangent.py. */
static void linearize(kt_instance *instance, int near, const double *zd, const double *inputs) {
    const Model *m = &instance->model;
    const double *J = slot(instance, 0) + m->chart[instance->read_chart].J;
    instance->hot->unpack(J, m->nz, instance->wide, instance->M);
    kt_tangents(instance, near, instance->K, instance->C);
    if (!near) {
        add_rates(instance, instance->C);
        add_skew(instance, zd, instance->C);
        if (m->moving) kt_add_turning(instance, inputs + m->twist, instance->C);
    }
    drive_equations(instance);
}

/* instance->matrix becomes the inverse of the transpose of M + g C + g^2 K. */
static int factorize(kt_instance *instance, double g) {
    int nz = instance->model.nz, w = instance->wide;
    const double *M = instance->M, *C = instance->C, *K = instance->K;
    double *matrix = instance->matrix, bad;
    instance->hot->add_matrices(M, C, K, g, nz * w, matrix);
    if (instance->hot->invert(matrix, nz, w, &bad) < 0) return OK;
    double *a = instance->factor; /* a falling characteristic */
    for (int i = 0; i < nz; i++)
        for (int j = 0; j < nz; j++) {
            a[i * nz + j] = M[i * w + j] + g * (C[i * w + j] + g * K[i * w + j]);
            matrix[i * nz + j] = i == j;
        }
    if (!kt_lu_solve(a, nz, matrix, nz))
        return kt_fail(instance, FAILED,
                       "the matrix of an implicit step is singular: a stiffness or damping is negative or not finite; "
                       "check the parameters of the springs and bushings");
    for (int i = nz - 1; i >= 0; i--)
        for (int j = w - 1; j >= 0; j--) matrix[i * w + j] = j < nz ? matrix[i * nz + j] : 0.0;
    return OK;
}

/* What accelerates the coordinates where the tables were read last, (nz); accelerations of driven ones. */
static int force_at(kt_instance *instance, const State *at, const double *inputs, double *force) {
    const Model *m = &instance->model;
    kt_moving_force(instance, at->lap, at->zd, at->zd, inputs, force);
    double sum = 0.0;
    for (int k = 0; k < m->nz; k++) sum += force[k];
    if (!isfinite(sum)) /* it says so */
        return kt_solve_motion(instance, m->nz, at->z, at->zd, force, inputs, instance->stage[2]);
    for (int d = 0; d < m->drives; d++)
        force[m->drive[d].axis] = kt_drive_acceleration(m->drive + d, at->z, at->zd, inputs);
    return OK;
}

/* to (nz) += the stages with their weights */
static void add_stages(const double *stages, const double *weights, int count, int nz, int wide, double *to) {
    for (int i = 0; i < count; i++)
        for (int k = 0; k < nz && weights[i] != 0.0; k++) to[k] += weights[i] * stages[i * wide + k];
}

/* Two evaluations, order 3. */
static int rosenbrock_step(kt_instance *instance, State *state, double tau, double h) {
    int nz = instance->model.nz, wide = instance->wide, status;
    double **v = instance->stage, *z = v[0], *zdd = v[2];
    Stages s = {.n = nz, .wide = wide, .g = GAMMA * h, .M = instance->M, .K = instance->K, .inverse = instance->matrix,
                .zd = v[1], .force = v[3], .x = v[4], .y = v[6], .right = v[8], .p = instance->p, .w = instance->w};
    for (int i = 0; i < KT_STAGES; i++)
        for (int j = 0; j < i; j++) s.before[i][j] = BEFORE[i][j] / h;
    State at = {.chart = state->chart, .lap = state->lap, .z = z, .zd = s.zd};
    memcpy(z, state->z, (size_t)nz * sizeof *z);
    memcpy(s.zd, state->zd, (size_t)nz * sizeof *z);
    const double *inputs = kt_inputs_at(instance, tau);
    status = kt_read(instance, at.chart, z, instance->needs);
    if (!status) status = force_at(instance, &at, inputs, s.force);
    if (status) return status;
    linearize(instance, 0, s.zd, inputs);
    if ((status = factorize(instance, s.g))) return status;
    for (int i = 0; i < KT_STAGES; i++) {
        if (i == FIRST) { /* (2) */
            add_stages(s.p, POINT, FIRST, nz, wide, z);
            add_stages(s.w, POINT, FIRST, nz, wide, s.zd);
            status = kt_acceleration(instance, &at, kt_inputs_at(instance, tau + LATER * h), zdd);
            if (status) return status;
            memset(s.force, 0, (size_t)wide * sizeof *s.force);
            instance->hot->multiply(instance->M, nz, wide, 1.0, zdd, s.force);
        }
        instance->hot->stage(&s, i);
    }
    add_stages(s.p, WEIGHT, KT_STAGES, nz, wide, state->z);
    add_stages(s.w, WEIGHT, KT_STAGES, nz, wide, state->zd);
    return OK;
}

/* --- midpoint rule: one evaluation, order 2; see midpoint.py ------------------------------------------------------ */

#define LASTING 8
#define OTHER 0.1

/* Whether the matrices of the state may not serve for a step with its middle at z. */
static int worn(const Model *m, const State *state, const double *z) {
    if (!(*state->age > 0.0 && *state->age < LASTING)) return 1;
    int gone = 0;
    for (int k = 0; k < m->nz; k++) gone |= fabs(z[k] - state->z_then[k]) > m->far[k];
    return gone;
}

/* Slopes over s and sdot of law i of those that are not linear, after `kt_forces`. */
static void bent_slopes(const kt_instance *instance, int i, double slopes[2]) {
    const Model *m = &instance->model;
    const struct Bend *bend = m->bend + i;
    double s = slot(instance, 0)[m->chart[instance->read_chart].s + bend->measure];
    slopes[0] = slopes[1] = 0.0;
    kt_law_slopes(bend->law, instance->parameters, s, instance->measure_rate[bend->measure], slopes, slopes + 1);
}

/* Whether laws have other slopes now than when the matrices were found. */
static int other_slopes(const kt_instance *instance) {
    int other = 0;
    for (int i = 0; i < instance->model.bends; i++) {
        double now[2], *then = instance->bent + 2 * i;
        bent_slopes(instance, i, now);
        for (int e = 0; e < 2; e++) other |= fabs(now[e] - then[e]) > OTHER * fmax(fabs(now[e]), fabs(then[e]));
    }
    return other;
}

/* Matrices of a step where the tables were read last, after `kt_forces`. */
static int find_matrices(kt_instance *instance, double h, const double *zd, const double *inputs) {
    const Model *m = &instance->model;
    const Chart *c = m->chart + instance->read_chart;
    for (int i = 0; i < m->bends; i++) bent_slopes(instance, i, instance->bent + 2 * i);
    instance->served_step = h;
    if (instance->twelve && !m->drives && !m->couplings) {
        if (m->bends) kt_slopes(instance);
        const Twelve all = {.n = m->nz, .count = m->varying, .rows = m->most_rows, .g = KT_POWER * h,
                            .J = slot(instance, 0) + c->J, .slots = slot(instance, 1) + c->s, .sign = m->bends ? -1.0 : 1.0,
                            .stiffness = m->bends ? instance->along : instance->stiffness,
                            .damping = m->bends ? instance->rate : instance->damping, .K1 = instance->K1, .C1 = instance->C1};
        instance->served_in_twelve = instance->hot->matrices_12(&all, instance->twelve) == OK;
        if (instance->served_in_twelve) return OK;
    }
    instance->served_in_twelve = 0;
    linearize(instance, 1, zd, inputs);
    return factorize(instance, KT_POWER * h);
}

/* Reads the tables, but for J where force_12 reads it; also where it was read before, so that what was does not show. */
static int read_most(kt_instance *instance, int chart, const double *z) {
    int later = instance->twelve && instance->model.chart[chart].each ? 1 << INERTIA : 0;
    int status = kt_read(instance, chart, z, instance->needs & ~later);
    instance->rows_read &= ~later;
    return status;
}

/* Matrices where they were found before, if they are not there any more. */
static int find_again(kt_instance *instance, const State *state, double h, const double *inputs) {
    if (instance->served_step == h) return OK;
    const double *zd = state->zd_then;
    int status = read_most(instance, state->chart, state->z_then);
    if (status) return status;
    kt_moving_force(instance, state->lap, zd, zd, inputs, instance->stage[3]); /* finds M too */
    return find_matrices(instance, h, zd, inputs);
}

/* force -= (M - M_then) (2 zdd - zdd_before), equation (2a). */
static void add_change(kt_instance *instance, const State *state, double *force) {
    const Model *m = &instance->model;
    int nz = m->nz, w = instance->wide;
    double *now = instance->factor, zdd[KT_MOST_Z];
    for (int k = 0; k < nz; k++) zdd[k] = 2.0 * state->zdd[k] - state->zdd_before[k];
    instance->hot->unpack(slot(instance, 0) + m->chart[instance->read_chart].J, nz, w, now);
    for (int d = 0; d < m->drives; d++)
        for (int i = 0, k = m->drive[d].axis; i < nz; i++) now[i * w + k] = i == k;
    instance->hot->multiply(now, nz, w, -1.0, zdd, force);
    instance->hot->multiply(instance->M, nz, w, 1.0, zdd, force);
}

/* The step with matrices that are not in `twelve`. */
static void step_in_memory(kt_instance *instance, State *state, int fresh, double h, double *force) {
    int nz = instance->model.nz;
    double **v = instance->stage;
    Powers s = {.n = nz, .wide = instance->wide, .h = h, .M = instance->M, .C = instance->C, .K = instance->K,
                .inverse = instance->matrix, .force = force, .z = v[0], .zd = v[1], .zdd = v[6]};
    for (int k = 0; k < nz; k++) {
        s.z[k] = state->z[k];
        s.zd[k] = state->zd[k];
        s.zdd[k] = state->zdd[k];
    }
    if (!fresh) add_change(instance, state, force);
    instance->hot->powers(&s);
    const double per_step = 1.0 / h;
    for (int k = 0; k < nz; k++) {
        state->zdd_before[k] = state->zdd[k];
        state->zdd[k] = (s.zd[k] - state->zd[k]) * per_step;
        state->z[k] = s.z[k];
        state->zd[k] = s.zd[k];
    }
}

static int midpoint_step(kt_instance *instance, State *state, double tau, double h) {
    const Model *m = &instance->model;
    double *force = instance->stage[3];
    State at = {.chart = state->chart, .lap = state->lap, .z = instance->stage[4], .zd = instance->stage[5]};
    if (instance->twelve) instance->hot->middle_12(state, m->nz, h, &at); /* (1) */
    else
        for (int k = 0; k < m->nz; k++) {
            at.z[k] = state->z[k] + 0.5 * h * state->zd[k];
            at.zd[k] = state->zd[k] + 0.5 * h * state->zdd[k];
        }
    const double *inputs = kt_inputs_at(instance, tau + 0.5 * h);
    int fresh = worn(m, state, at.z);
    int status = fresh ? OK : find_again(instance, state, h, inputs);
    if (!status) status = read_most(instance, at.chart, at.z);
    if (!status) status = force_at(instance, &at, inputs, force);
    if (status) return status;
    fresh = fresh || other_slopes(instance);
    if (fresh) {
        memcpy(state->z_then, at.z, (size_t)m->nz * sizeof *at.z);
        memcpy(state->zd_then, at.zd, (size_t)m->nz * sizeof *at.zd);
        *state->age = 0.0;
        if ((status = find_matrices(instance, h, at.zd, inputs))) return status;
    }
    *state->age += 1.0;
    const double *J = fresh ? NULL : slot(instance, 0) + m->chart[at.chart].J;
    if (!instance->served_in_twelve) step_in_memory(instance, state, fresh, h, force);
    else if (instance->hot->midpoint_12(instance->twelve, J, m->nz, h, force, state) != OK)
        for (int k = 0; k < m->nz; k++) state->z[k] = state->zd[k] = NAN; /* it is said what that means */
    return OK;
}

int kt_implicit_step(kt_instance *instance, State *state, double tau, double h) {
    return (instance->model.stages == 2 ? midpoint_step : rosenbrock_step)(instance, state, tau, h);
}
