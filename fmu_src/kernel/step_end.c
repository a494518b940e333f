/* What is said of a step whose end is not where nothing needs to be said; see step_end.py. */
#include "kernel.h"

#define BORDER_ULPS 8.0
#define MOST_RADII 100.0 /* of a deflection, see step_end.py */

/* How far beyond its border a coordinate counts as being on it. */
static double slack(const Axis *a) {
    return BORDER_ULPS * 2.220446049250313e-16 * fmax(fmax(fabs(a->lower), fabs(a->upper)), a->upper - a->lower);
}

/* What check_end of charts.h compares with: least, most and path of a chart, (nz) each. */
void kt_find_limits(const Model *m, const Chart *c, double *least, double *most, double *path) {
    for (int i = 0; i < m->nf; i++) {
        const Axis *a = c->axis + i;
        const double over = a->linear ? 0.0 : slack(a);
        least[i] = a->periodic ? -1.7976931348623157e308 : a->lower - over;
        most[i] = a->periodic ? 1.7976931348623157e308 : a->upper + over;
        path[i] = a->upper - a->lower;
    }
    for (int i = 0; i < m->ns; i++) {
        least[m->nf + i] = m->stiff[i].about - m->stiff[i].radius;
        most[m->nf + i] = m->stiff[i].about + m->stiff[i].radius;
        path[m->nf + i] = MOST_RADII * m->stiff[i].radius;
    }
}

/* A coordinate outside a table that must not be left. */
int kt_left(Kernel *k, int chart, int axis, double x) {
    const Axis *a = k->m->chart[chart].axis + axis;
    kt_fail(k, OUT_OF_TABLE,
            "coordinate '%s' = %.9g %s is outside its table [%.9g, %.9g] %s; bake with a wider range, or with outside = "
            "\"linear\" for this coordinate, or add a stop that keeps it inside",
            a->name, a->told * x, a->unit, a->told * a->lower, a->told * a->upper, a->unit);
    k->fault.axis = axis;
    return OUT_OF_TABLE;
}

int kt_not_finite(Kernel *k, const char *what, const char *name, double value) {
    return kt_fail(k, FAILED, "the motion diverged: the %s of '%s' is %g; reduce 'solver.step' or check the forces", what, name,
                   value);
}

/* A coordinate that moves too fast for a step. */
static int too_long(Kernel *k, int chart, int i, double rate, double h) {
    const Model *m = k->m;
    const double path = m->chart[chart].path[i];
    const char *name = kt_name(m, chart, i);
    if (i < m->nf) {
        const char *unit = m->chart[chart].axis[i].unit;
        const double told = m->chart[chart].axis[i].told;
        return kt_fail(k, FAILED,
                       "the motion diverged: '%s' moves at %.6g %s/s, in a step of %.6g s by more "
                       "than %.6g %s, the length of its table; reduce 'solver.step' or check the forces",
                       name, told * rate, unit, h, told * path, unit);
    }
    const char *unit = m->stiff[i - m->nf].unit;
    const double told = m->stiff[i - m->nf].told;
    return kt_fail(k, FAILED,
                   "the motion diverged: '%s' moves at %.6g %s/s, in a step of %.6g s by more than "
                   "%.6g %s, %g times what its tables hold; reduce 'solver.step' or check the forces",
                   name, told * rate, unit, h, told * path, unit, MOST_RADII);
}

/* What is to be said where a coordinate has left its table on the way from z0: one that has gone farther than its table is
 * long says nothing about how wide that should be. */
int kt_beyond(Kernel *k, int chart, const double *z0, double h) {
    const int i = k->fault.axis;
    const double way = k->fault.number[0] / k->m->chart[chart].axis[i].told - z0[i];
    return fabs(way) > k->m->chart[chart].path[i] ? too_long(k, chart, i, way / h, h) : OUT_OF_TABLE;
}

/* A step on whose way, or at whose end, an inertia is lost: all are positive inside the tables. */
int kt_no_inertia(Kernel *k) {
    const Fault lost = k->fault;
    return kt_fail(k, FAILED,
                   "the motion diverged: it went so far outside the tables that the inertia of '%s' is %.6g; reduce 'solver.step' "
                   "or check the forces",
                   lost.text[0], lost.number[0]);
}

/* A step that leaves a chart, though another takes over there. */
int kt_over_charts(Kernel *k, double h) {
    const Fault left = k->fault;
    return kt_fail(k, FAILED,
                   "the step of %.6g s is too long: it goes across where one chart hands over to the next, to '%s' = %.6g %s; reduce "
                   "'solver.step'",
                   h, left.text[0], left.number[0], left.text[1]);
}

/* The end of a step, some number of which is beyond the limits of the chart: OK where tables are continued. */
int kt_judge_end(Kernel *k, const State *state, double h) {
    const Model *m = k->m;
    const int chart = state->chart, nz = m->nf + m->ns;
    for (int i = 0; i < 2 * nz; i++) {
        const double x = i < nz ? state->z[i] : state->zd[i - nz];
        if (!isfinite(x)) return kt_not_finite(k, i < nz ? "value" : "rate", kt_name(m, chart, i % nz), x);
    }
    for (int i = 0; i < nz; i++)
        if (fabs(state->zd[i]) * h > m->chart[chart].path[i]) return too_long(k, chart, i, state->zd[i], h);
    for (int i = 0; i < m->nf; i++) {
        const Axis *a = m->chart[chart].axis + i;
        if (a->periodic || a->linear || (m->chart[chart].least[i] <= state->z[i] && state->z[i] <= m->chart[chart].most[i])) continue;
        return kt_left(k, chart, i, state->z[i]);
    }
    return OK;
}
