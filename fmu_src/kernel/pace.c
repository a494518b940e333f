/* Which steps make sense, and how large the error of one is; see pace.py and step_error.py. */
#include "kernel.h"

#define SLACK 1e-9
#define LEAST_DIGITS 1e-9
#define EPSILON 2.220446049250313e-16
#define SAFETY 0.7
#define ROUNDING (4.0 * EPSILON)

static int order(const Model *m) { return m->midpoint ? 2 : m->ns && !m->quasistatic ? 3 : 4; }

/* How much of a cell a step should go at most. */
static double share_of(const Model *m) { return order(m) == 4 ? 0.25 : 0.125; }

typedef struct { double step, rate; int coordinate; } Pace; /* what limits the step of a motion */

/* What limits steps of a length, or of less. */
static Pace pace(Kernel *k, const State *state, double longest) {
    const Model *m = k->m;
    const Chart *c = m->chart + state->chart;
    const double most = m->midpoint ? 0.2 : 1.0, swing = k->hot->fastest(k, state, most / longest);
    Pace found = {HUGE_VAL, 0.0, -1};
    if (swing > 0.0) found = (Pace){most / swing, swing, -1};
    for (int i = 0; i < m->nf; i++) {
        const double step = share_of(m) * c->cell[i] / fabs(state->zd[i]);
        if (step < found.step) found = (Pace){step, state->zd[i], i};
    }
    return found;
}

/* The largest of 1, 2 or 5 times a power of ten that is not above a step, nor below the shortest. */
static double rounded_down(double step) {
    const double most = step * (1.0 + SLACK), power = floor(log10(most));
    double found = KT_SHORTEST_STEP;
    for (int n = 1; n <= 5; n += n == 2 ? 3 : 1) {
        const double choice = power >= 0.0 ? n * pow(10.0, power) : n / pow(10.0, -power);
        if (choice <= most) found = fmax(found, choice);
    }
    return found;
}

/* Start values and rates that no step can go on from. */
int kt_check_starts(Kernel *k) {
    const State state = kt_state(k);
    for (int i = 0; i < k->m->nf; i++) {
        const Axis *a = k->m->chart[state.chart].axis + i;
        const double x = state.z[i], rate = state.zd[i], length = a->upper - a->lower;
        if (fabs(x) * EPSILON > LEAST_DIGITS * length)
            return kt_fail(k, FAILED,
                           "'%s' starts at %.6g %s, where the last digit of a number is worth %.3g %s; start within %.3g times "
                           "%.6g %s",
                           a->name, a->told * x, a->unit, a->told * (fabs(x) * EPSILON), a->unit, LEAST_DIGITS / EPSILON,
                           a->told * length, a->unit);
        if (fabs(rate) * KT_SHORTEST_STEP > length)
            return kt_fail(k, FAILED,
                           "'%s' starts at a rate of %.6g %s/s, by which it moves by more than %.6g %s in the shortest step, %g s; "
                           "start more slowly",
                           a->name, a->told * rate, a->unit, a->told * length, a->unit, KT_SHORTEST_STEP);
    }
    return OK;
}

/* A shorter step than the default one, if the start of the motion asks for that; whether that was said. */
int kt_lower_step(Kernel *k) {
    const State state = kt_state(k);
    const double longest = k->values[KT_SOLVER_STEP];
    const Pace found = pace(k, &state, longest);
    k->sensible = found.step * (1.0 + SLACK);
    if (!(longest > k->sensible) || longest != k->m->variable[KT_SOLVER_STEP].start) return 0;
    const double step = k->values[KT_SOLVER_STEP] = rounded_down(found.step);
    if (found.coordinate < 0) {
        kt_fail(k, OK,
                "parameter 'solver.step' is lowered from %.9g s to %.9g s: the mechanism by itself moves with up to %.6g 1/s, for "
                "which explicit steps must be short; set it to another value to have that kept",
                longest, step, found.rate);
        return 1;
    }
    const Axis *a = k->m->chart[state.chart].axis + found.coordinate;
    kt_fail(k, OK,
            "parameter 'solver.step' is lowered from %.9g s to %.9g s: '%s' moves at %.6g %s/s, and a step should not go farther "
            "than %g of a cell of its table, %.6g %s; set it to another value to have that kept",
            longest, step, a->name, a->told * found.rate, a->unit, share_of(k->m),
            a->told * (share_of(k->m) * k->m->chart[state.chart].cell[found.coordinate]), a->unit);
    return 1;
}

/* Steps of the size h are too long: in words, with one that is not. */
void kt_too_long(Kernel *k, const State *state, double h) {
    const double error = k->block[AT_ERROR];
    double longest = fmin(fmin(pace(k, state, h).step, k->sensible), h);
    const char *more = error < 0.0 ? "; 'solver.check' = 1 measures their error" : ", see output 'solver.error'";
    if (error > 1.0) {
        longest = fmin(longest, SAFETY * h * pow(error, -1.0 / order(k->m)));
        kt_fail(k, OK,
                "at t = %.9g s: the error of a step of %.6g s is %.3g times what the tables promise; set 'solver.step' = %.9g s; "
                "less if the motion becomes faster; this is said once%s",
                k->block[AT_TIME], h, error, rounded_down(longest), more);
    } else
        kt_fail(k, OK,
                "at t = %.9g s: steps of %.6g s are too long for the motion; set 'solver.step' = %.9g s; less if the motion becomes "
                "faster; this is said once%s",
                k->block[AT_TIME], h, rounded_down(longest), more);
}

/* --- the error of a step ------------------------------------------------------------------------------------------- */

/* Rate of the fastest axis that turns for ever, in lengths of its table. */
static double paced(const Model *m, const State *state) {
    const Chart *c = m->chart + state->chart;
    double most = 0.0;
    for (int i = 0; i < m->nf; i++)
        if (c->axis[i].periodic || m->charts > 1) most = fmax(most, fabs(state->zd[i]) / (c->axis[i].upper - c->axis[i].lower));
    return most;
}

/* Largest distance of two ends of a step over what the tables promise. */
static double apart(const Model *m, int chart, const double *z, const double *halved, double share) {
    const Chart *c = m->chart + chart;
    const double factor = (double)(1 << order(m)) / ((1 << order(m)) - 1); /* (1) */
    const int n = m->quasistatic ? m->nf : m->nf + m->ns;
    double most = 0.0;
    share = fmin(fmax(share, 1e-15), 1.0);
    for (int i = 0; i < n; i++) {
        const int turns = i < m->nf && (c->axis[i].periodic || m->charts > 1);
        const double promised = i < m->nf ? c->axis[i].promise * (turns ? share : 1.0) : m->stiff[i - m->nf].promise;
        most = fmax(most, fmax(fabs(z[i] - halved[i]) - ROUNDING * fabs(z[i]), 0.0) * factor / promised);
    }
    return most;
}

/* One step at the time tau after the start of a communication step, and its error by taking it in halves too. */
int kt_measured_step(Kernel *k, State *state, double time, double tau, double h) {
    const Model *m = k->m;
    const State before = *state;
    const size_t bytes = k->state_numbers * sizeof *k->saved;
    double pace = fmax(k->block[AT_PACE], paced(m, state)), error = k->block[AT_ERROR];
    memcpy(k->before_step, state->age, bytes);
    int status = kt_step_over(k, state, time, tau, h, 0);
    if (status) return status;
    const State after = *state;
    if (before.chart != after.chart) pace = k->block[AT_PACE];
    pace = fmax(pace, paced(m, state));
    memcpy(k->after_step, state->age, bytes);
    memcpy(state->age, k->before_step, bytes);
    *state = before;
    int failed = kt_step_over(k, state, time, tau, 0.5 * h, 0);
    if (!failed) failed = kt_step_over(k, state, time, tau + 0.5 * h, 0.5 * h, 0);
    const double *end = k->after_step + (state->z - state->age);
    if (failed) error = (m->chart->axis->upper - m->chart->axis->lower) / m->chart->axis->promise;
    else if (state->chart == after.chart && state->lap == after.lap) error = fmax(error, apart(m, after.chart, end, state->z, pace * h));
    memcpy(state->age, k->after_step, bytes);
    *state = after;
    k->fault = (Fault){0};
    k->served_step = 0.0; /* matrices are those of the halves */
    k->block[AT_ERROR] = error;
    k->block[AT_PACE] = pace;
    return OK;
}
