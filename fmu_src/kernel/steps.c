/* Time integration with a fixed step: Runge-Kutta, the linearly implicit ROS34PW2, quasi-static deflections, and the way
 * from chart to chart.  See integrator.py, rosenbrock.py, tangent.py and handover.py. */
#include "internal.h"

#define MOST_SUBSTEPS 1000000
#define MOST_SCALING 0.01 /* of rates at a hand-over, see handover.py */

static const double *inputs_at(kt_instance *instance, double tau) {
    if (tau == 0.0 || !(instance->model.moving || instance->has_rates)) return instance->inputs;
    kt_hold(instance, tau, instance->now);
    return instance->now;
}

void kt_take_drives(const Model *m, const double *inputs, State *state) {
    for (int d = 0; d < m->drives; d++)
        if (m->drive[d].filter_time == 0.0) {
            state->z[m->drive[d].axis] = inputs[m->drive[d].first];
            state->zd[m->drive[d].axis] = inputs[m->drive[d].first + 1];
        }
}

/* y' = (zd, zdd) of the first n coordinates at y = (z, zd); where stiff ones are quasi-static, `last` are the
 * deflections to start from, and get those found. */
static int rates(kt_instance *instance, const State *state, int n, const double *y, double tau, double *last, double *out) {
    const double *inputs = inputs_at(instance, tau);
    memcpy(out, y + n, (size_t)n * sizeof *out);
    if (!instance->model.quasistatic) {
        State at = {state->chart, state->lap, (double *)y, (double *)y + n};
        return kt_acceleration(instance, &at, inputs, out + n);
    }
    const Model *m = &instance->model;
    Instant *now = &instance->instant;
    memcpy(now->z, y, (size_t)n * sizeof *y);
    memcpy(now->z + n, last, (size_t)m->ns * sizeof *last);
    memcpy(now->zd, y + n, (size_t)n * sizeof *y);
    int status = kt_relax(instance, state->chart, now->z, now->zd, now->u, inputs, instance->needs);
    if (status) return status;
    memcpy(last, now->z + n, (size_t)m->ns * sizeof *last);
    kt_moving_force(instance, 0, now->zd, now->u, inputs, now->force);
    return kt_solve_motion(instance, n, now->z, now->zd, now->force, inputs, out + n);
}

/* An explicit step for the first n coordinates. */
static int runge_kutta(kt_instance *instance, State *state, int n, double tau, double h, double *last) {
    double *y0 = instance->stage[0], *y = instance->stage[1], *sum = instance->stage[2], *k = instance->stage[3];
    const int stages = instance->model.stages;
    double at = 0.0;
    memcpy(y0, state->z, (size_t)n * sizeof *y0);
    memcpy(y0 + n, state->zd, (size_t)n * sizeof *y0);
    for (int stage = 0; stage < stages; stage++) {
        const double *from = stage ? y : y0, weight = kt_weight(stages, stage);
        int status = rates(instance, state, n, from, tau + at * h, last, k);
        if (status) return status;
        at = kt_next(stages, stage);
        for (int i = 0; i < 2 * n; i++) {
            sum[i] = (stage ? sum[i] : 0.0) + weight * k[i];
            y[i] = y0[i] + at * h * k[i];
        }
    }
    for (int i = 0; i < n; i++) {
        state->z[i] = y0[i] + h * sum[i];
        state->zd[i] = y0[n + i] + h * sum[n + i];
    }
    return OK;
}

/* Runge-Kutta for the axes; the deflections at the end are in equilibrium with the inputs held so long. */
static int quasistatic_step(kt_instance *instance, State *state, double tau, double h) {
    const Model *m = &instance->model;
    double *last = instance->stage[4];
    memcpy(last, state->z + m->nf, (size_t)m->ns * sizeof *last);
    int status = runge_kutta(instance, state, m->nf, tau, h, last);
    if (status) return status;
    memcpy(state->z + m->nf, last, (size_t)m->ns * sizeof *last);
    return kt_relax(instance, state->chart, state->z, state->zd, instance->instant.u, inputs_at(instance, tau + h),
                    instance->needs);
}

/* --- linearly implicit ------------------------------------------------------------------------------------------- */

static const double GAMMA = 0.435866521508459;
static const double ALPHA[4][3] = {{0}, {0.871733043016918}, {0.84457060015369423, -0.11299064236484185}, {0.0, 0.0, 1.0}};
static const double BELOW[4][3] = {{0},
                                   {-0.871733043016918},
                                   {-0.90338057013044082, 0.054180672388095326},
                                   {0.24212380706095346, -1.2232505839045147, 0.54526025533510214}};
static const double B[4] = {0.24212380706095346, -1.2232505839045147, 1.5452602553351020, 0.43586652150845900};

typedef struct {
    int others[KT_MOST_Z], count; /* coordinates that are not driven */
    int wide, definite;           /* of instance->matrix, the inverse of W of the others */
} Linear;

/* The motion near the state where the tables were read last, M zdd = -C zd - K z, and the matrix of the step,
 * W = M + gamma h C + (gamma h)^2 K.  C and K are not formed: gradients and slopes of the measures are kept instead. */
static void linearize(kt_instance *instance, double h, Linear *linear) {
    const Model *m = &instance->model;
    int nz = m->nz, w = instance->wide, at = m->chart[instance->read_chart].s, measures = padded(m->active);
    const double *J = slot(instance, 0) + m->chart[instance->read_chart].J;
    double g = GAMMA * h, *M = instance->M, *W = instance->K, *ds = instance->stage[4]; /* padded with zeros */
    for (int i = 0; i < nz; i++)
        for (int j = i; j < nz; j++) M[i * w + j] = M[j * w + i] = *J++;
    memcpy(W, M, (size_t)(nz * w) * sizeof *W);
    for (int i = 0; i < nz * w && m->steady; i++) W[i] += g * instance->C0[i] + g * g * instance->K0[i];
    kt_slopes(instance);
    for (int k = 0; k < nz; k++) memcpy(instance->gradients + k * measures, slot(instance, 1 + k) + at, (size_t)m->active * sizeof *ds);
    for (int i = 0; i < m->active; i++) {
        for (int k = 0; k < nz; k++) ds[k] = instance->gradients[k * measures + i];
        instance->hot->add_square(W, nz, w, -g * (instance->rate[i] + g * instance->along[i]), ds);
    }
    for (int i = 0; i < m->couplings; i++) {
        int a = m->element[m->coupling[i].a].measure, b = m->element[m->coupling[i].b].measure;
        double k = instance->parameters[m->coupling[i].stiffness], d = instance->parameters[m->coupling[i].damping];
        if (a < m->active) kt_add_product(instance, a, b, 2.0 * g * (d + g * k), W);
    }
    linear->count = 0;
    for (int k = 0, d = 0; k < nz; k++)
        if (d < m->drives && m->drive[d].axis == k) d++; else linear->others[linear->count++] = k;
    int n = linear->count, wide = linear->wide = padded(n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) instance->matrix[i * wide + j] = W[linear->others[i] * w + linear->others[j]];
    double bad;
    linear->definite = instance->hot->invert(instance->matrix, n, wide, &bad) < 0;
}

/* right -= h (C v + K x) */
static void subtract_tangents(kt_instance *instance, double h, const double *v, const double *x, double *right) {
    const Model *m = &instance->model;
    const Hot *hot = instance->hot;
    int measures = padded(m->active), nz = m->nz;
    double *along = instance->measure_force, *rate = instance->measure_rate; /* free here: changes of the measures */
    if (m->steady) {
        hot->multiply(instance->C0, nz, instance->wide, -h, v, right);
        hot->multiply(instance->K0, nz, instance->wide, -h, x, right);
    }
    if (!m->active) return;
    hot->combine(instance->gradients, (size_t)measures, v, measures, nz, rate);
    hot->combine(instance->gradients, (size_t)measures, x, measures, nz, along);
    double *force = instance->load, product[KT_MOST_Z];
    for (int i = 0; i < measures; i++)
        force[i] = i < m->active ? h * (instance->rate[i] * rate[i] + instance->along[i] * along[i]) : 0.0;
    for (int i = 0; i < m->couplings; i++) {
        int a = m->element[m->coupling[i].a].measure, b = m->element[m->coupling[i].b].measure;
        double k = instance->parameters[m->coupling[i].stiffness], d = instance->parameters[m->coupling[i].damping];
        if (a >= m->active) continue;
        force[a] -= h * (k * along[b] + d * rate[b]);
        force[b] -= h * (k * along[a] + d * rate[a]);
    }
    hot->dots(instance->gradients, (size_t)measures, force, measures, nz, product);
    for (int k = 0; k < nz; k++) right[k] += product[k];
    for (int i = m->loads_rows; i < measures; i++) force[i] = 0.0; /* loads are padded with zeros */
}

/* w (nz) from the right side of equation (4) of rosenbrock.py; driven coordinates have their own equations. */
static int solve_stage(kt_instance *instance, const Linear *l, double h, const double *zdd, const double *W,
                       const double *x, double *w) {
    const Model *m = &instance->model;
    const Hot *hot = instance->hot;
    int nz = m->nz, wide = instance->wide, n = l->count;
    double g = GAMMA * h, right[KT_MOST_Z + KT_CHUNK], some[KT_MOST_Z + KT_CHUNK];
    for (int i = 0; i < wide; i++) right[i] = 0.0;
    hot->multiply(instance->M, nz, wide, h, zdd, right);
    subtract_tangents(instance, h, W, x, right);
    for (int i = 0; i < n; i++) some[i] = right[l->others[i]];
    for (int d = 0; d < m->drives; d++) {
        int k = m->drive[d].axis;
        double T = m->drive[d].filter_time, C = T != 0.0 ? 2.0 / T : 0.0, K = T != 0.0 ? 1.0 / (T * T) : 0.0;
        w[k] = h * (zdd[k] - C * W[k] - K * x[k]) / (1.0 + g * C + g * g * K);
        for (int i = 0; i < n; i++) some[i] -= instance->K[l->others[i] * wide + k] * w[k];
    }
    if (l->definite) {
        double found[KT_MOST_Z + KT_CHUNK];
        for (int i = 0; i < l->wide; i++) found[i] = 0.0;
        hot->multiply(instance->matrix, n, l->wide, 1.0, some, found);
        memcpy(some, found, (size_t)n * sizeof *some);
    } else { /* a falling characteristic */
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) instance->factor[i * n + j] = instance->K[l->others[i] * wide + l->others[j]];
        if (!kt_lu_solve(instance->factor, n, some, 1))
            return kt_fail(instance, FAILED,
                           "the matrix of an implicit step is singular: a stiffness or damping is negative or not "
                           "finite; check the parameters of the springs and bushings");
    }
    for (int i = 0; i < n; i++) w[l->others[i]] = some[i];
    return OK;
}

static int implicit_step(kt_instance *instance, State *state, double tau, double h) {
    const Model *m = &instance->model;
    int nz = m->nz;
    double *z = instance->stage[0], *zd = z + nz, *zdd = instance->stage[1], *W = instance->stage[2];
    double *x = instance->stage[3], *p = instance->p, *w = instance->w;
    Linear linear;
    for (int i = 0; i < 4; i++) {
        double time = 0.0;
        memcpy(z, state->z, (size_t)nz * sizeof *z);
        memcpy(zd, state->zd, (size_t)nz * sizeof *z);
        for (int k = 0; k < nz; k++) W[k] = x[k] = 0.0;
        for (int j = 0; j < i; j++) {
            const double *pj = p + j * nz, *wj = w + j * nz;
            double alpha = ALPHA[i][j], below = BELOW[i][j];
            time += h * alpha;
            for (int k = 0; k < nz; k++) {
                z[k] += alpha * pj[k];
                zd[k] += alpha * wj[k];
                W[k] += below * wj[k];
                x[k] += below * pj[k];
            }
        }
        for (int k = 0; k < nz; k++) x[k] += GAMMA * h * (zd[k] + W[k]);
        State at = {state->chart, state->lap, z, zd};
        int status = kt_acceleration(instance, &at, inputs_at(instance, tau + time), zdd);
        if (status) return status;
        if (i == 0) linearize(instance, h, &linear);
        status = solve_stage(instance, &linear, h, zdd, W, x, w + i * nz);
        if (status) return status;
        for (int k = 0; k < nz; k++) p[i * nz + k] = h * (zd[k] + W[k] + GAMMA * w[i * nz + k]);
    }
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < nz; k++) {
            state->z[k] += B[i] * p[i * nz + k];
            state->zd[k] += B[i] * w[i * nz + k];
        }
    return OK;
}

/* --- charts ------------------------------------------------------------------------------------------------------ */

static int check_finite(kt_instance *instance, const State *state) {
    const Model *m = &instance->model;
    double sum = 0.0;
    for (int k = 0; k < m->nz; k++) sum += state->z[k] + state->zd[k];
    for (int k = 0; !isfinite(sum) && k < 2 * m->nz; k++) {
        double value = k < m->nz ? state->z[k] : state->zd[k - m->nz];
        if (!isfinite(value))
            return kt_fail(instance, FAILED,
                           "the motion diverged: the %s of '%s' is %g; reduce 'solver.step' or check the forces",
                           k < m->nz ? "value" : "rate", kt_name(m, state->chart, k % m->nz), value);
    }
    return OK;
}

static int step_in_chart(kt_instance *instance, State *state, double tau, double h) {
    const Model *m = &instance->model;
    if (m->small && !instance->moments && !instance->across && !instance->has_rates) {
        int done = instance->hot->small_step[m->nz - 1](instance, state, h);
        if (done == OK) return check_finite(instance, state);
    }
    int status = m->quasistatic ? quasistatic_step(instance, state, tau, h)
                 : m->ns        ? implicit_step(instance, state, tau, h)
                                : runge_kutta(instance, state, m->nz, tau, h, NULL);
    return status ? status : check_finite(instance, state);
}

/* Into the chart behind a border, with the energy kept. */
static int hand_over(kt_instance *instance, State *state, int number) {
    const Model *m = &instance->model;
    const Chart *here = m->chart + state->chart;
    const Border *border = here->border + number;
    int status = kt_read(instance, state->chart, state->z, instance->needs | 1 << SHOWN), nz = m->nz;
    if (status) return status;
    double before[3], after[3], z[KT_MOST_AXES], zd[KT_MOST_AXES];
    int rows = here->border_rows[number];
    kt_energies(instance, state->lap, state->zd, before);
    for (int i = 0; i < nz; i++) {
        z[i] = slot(instance, 0)[rows + i] + border->offset[i];
        zd[i] = 0.0;
        for (int k = 0; k < nz; k++) zd[i] += state->zd[k] * slot(instance, 1 + k)[rows + i];
    }
    int lap = state->lap + border->lap;
    status = kt_read(instance, border->chart, z, instance->needs);
    if (status) return status;
    kt_energies(instance, lap, zd, after);
    double scale = 1.0;
    if (after[0] > 0.0) {
        double share = (before[0] + before[1] + before[2] - after[1] - after[2]) / after[0];
        scale = fabs(share - 1.0) < MOST_SCALING ? sqrt(share) : 1.0;
    }
    state->chart = border->chart;
    state->lap = lap;
    for (int i = 0; i < nz; i++) {
        state->z[i] = z[i];
        state->zd[i] = scale * zd[i];
    }
    return OK;
}

static int border_passed(const Chart *c, const double *z) {
    for (int i = 0; i < c->borders; i++)
        if (c->border[i].upper ? z[c->border[i].axis] > c->border[i].at : z[c->border[i].axis] < c->border[i].at) return i;
    return -1;
}

static int border_ahead(const Chart *c, const double *zd) {
    for (int i = 0; i < c->borders; i++) {
        double rate = zd[c->border[i].axis];
        if (rate != 0.0 && (rate > 0.0) == c->border[i].upper) return i;
    }
    return -1;
}

/* One step in the state's chart; where that leaves its table, in the chart ahead if that one reaches here. */
static int substep(kt_instance *instance, State *state, double tau, double h) {
    const Model *m = &instance->model;
    if (m->charts == 1) return step_in_chart(instance, state, tau, h);
    double *z0 = instance->stage[5], *zd0 = z0 + m->nz;
    memcpy(z0, state->z, (size_t)m->nz * sizeof *z0);
    memcpy(zd0, state->zd, (size_t)m->nz * sizeof *z0);
    int status = step_in_chart(instance, state, tau, h);
    if (status == OUT_OF_TABLE) {
        char left[KT_MESSAGE];
        memcpy(left, instance->message, sizeof left);
        memcpy(state->z, z0, (size_t)m->nz * sizeof *z0);
        memcpy(state->zd, zd0, (size_t)m->nz * sizeof *z0);
        int ahead = border_ahead(m->chart + state->chart, state->zd);
        if (ahead < 0) return status;
        status = hand_over(instance, state, ahead);
        if (!status) status = step_in_chart(instance, state, tau, h);
        if (status == OUT_OF_TABLE) memcpy(instance->message, left, sizeof left);
    }
    for (int i = 0; !status && i < m->charts; i++) {
        int passed = border_passed(m->chart + state->chart, state->z);
        if (passed < 0) break;
        status = hand_over(instance, state, passed);
    }
    return status;
}

/* One communication step, in equal substeps not longer than `solver.step`; on failure the state is lost. */
int kt_advance(kt_instance *instance, State *state, double time, double step) {
    double longest = instance->values[0];
    if (!(step > 0.0 && step < HUGE_VAL))
        return kt_fail(instance, FAILED, "the communication step is %.9g s; it must be positive and finite", step);
    if (!(longest > 0.0 && longest < HUGE_VAL))
        return kt_fail(instance, FAILED, "parameter 'solver.step' is %.9g s; it must be positive and finite", longest);
    double ratio = step <= longest ? 1.0 : step / longest;
    if (ratio > MOST_SUBSTEPS)
        return kt_fail(instance, FAILED,
                       "a communication step of %.9g s needs %.3g substeps of 'solver.step' = %.9g s, more than %d; "
                       "enlarge 'solver.step'",
                       step, ratio, longest, MOST_SUBSTEPS);
    int count = ratio == 1.0 ? 1 : (int)ceil(ratio * (1.0 - 1e-9)); /* a ratio of 1 + rounding is one substep */
    double h = step / count;
    kt_take_drives(&instance->model, instance->inputs, state);
    for (int i = 0; i < count; i++) {
        int status = substep(instance, state, i * h, h);
        if (status) {
            char cause[KT_MESSAGE];
            memcpy(cause, instance->message, sizeof cause);
            return kt_fail(instance, status, "between t = %.9g s and %.9g s: %s", time + i * h, time + i * h + h, cause);
        }
    }
    return OK;
}
