/* Time integration with a fixed step: Runge-Kutta, quasi-static deflections, and the way from chart to chart.  See
 * integrator.py and handover.py; implicit.c has the linearly implicit steps. */
#include "internal.h"

#define MOST_SUBSTEPS 1000000
#define MOST_SCALING 0.01 /* of rates at a hand-over, see handover.py */

const double *kt_inputs_at(kt_instance *instance, double tau) {
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
    const double *inputs = kt_inputs_at(instance, tau);
    memcpy(out, y + n, (size_t)n * sizeof *out);
    if (!instance->model.quasistatic) {
        State at = {.chart = state->chart, .lap = state->lap, .z = (double *)y, .zd = (double *)y + n};
        return kt_acceleration(instance, &at, inputs, out + n);
    }
    const Model *m = &instance->model;
    Instant *now = &instance->instant;
    memcpy(now->z, y, (size_t)n * sizeof *y);
    memcpy(now->z + n, last, (size_t)m->ns * sizeof *last);
    memcpy(now->zd, y + n, (size_t)n * sizeof *y);
    int status = kt_relax(instance, state->chart, now->z, now->zd, now->u, inputs);
    if (!status) status = kt_read(instance, state->chart, now->z, instance->needs);
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
    return kt_relax(instance, state->chart, state->z, state->zd, instance->instant.u, kt_inputs_at(instance, tau + h));
}

/* --- charts ------------------------------------------------------------------------------------------------------ */

static int check_finite(kt_instance *instance, const State *state) {
    const Model *m = &instance->model;
    double sum = 0.0, rates = 0.0;
    for (int k = 0; k < m->nz; k++) {
        sum += state->z[k];
        rates += state->zd[k];
    }
    sum += rates;
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
                 : m->ns        ? kt_implicit_step(instance, state, tau, h)
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
