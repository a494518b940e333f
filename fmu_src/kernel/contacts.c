/* Steps over borders of cams, which end there; and whether followers are still on their cams, where a step ends and on both
 * sides of every border that it crosses.  See borders.py and contacts.py. */
#include "kernel.h"

#define BESIDE 1e-12 /* as in contacts.py */
#define ROUNDINGS 8.9e-16
#define ITERATIONS 4
#define LEAST 1e-6 /* of a step: what is less is not cut off */

/* Where a cubic through both ends of a step has the value `at` on an axis: a share of the step. */
static double share_of(double z0, double zd0, double z1, double zd1, double at) {
    double s = (at - z0) / (z1 - z0);
    for (int i = 0; i < ITERATIONS; i++) {
        const double r = 1.0 - s;
        const double value = r * r * ((1.0 + 2.0 * s) * z0 + s * zd0) + s * s * ((1.0 + 2.0 * r) * z1 - r * zd1);
        const double slope = 6.0 * s * r * (z1 - z0) + r * (r - 2.0 * s) * zd0 + s * (s - 2.0 * r) * zd1;
        const double next = s - (value - at) / slope;
        if (!(next >= 0.0 && next <= 1.0)) break;
        s = next;
    }
    return s;
}

/* Where a border lies between two values of its axis, the first one that is greater than the lesser of them; if there is none,
 * this is not below the greater one. */
static double border_between(const Axis *a, double at, double from, double to) {
    const double length = a->upper - a->lower, least = fmin(from, to);
    return a->periodic ? at + length * (floor((least - at) / length) + 1.0) : at > least ? at : HUGE_VAL;
}

/* The share of a step of the size h, from z0 and zd0 to the state, at which it crosses the first border; 1 if it crosses none. */
static double first_crossing(const Kernel *k, const double *z0, const double *zd0, const State *end, double h) {
    double first = 1.0;
    if (k->m->drives == k->m->nf + k->m->ns) return first; /* they go where they are told, whatever the steps */
    for (int i = 0; i < k->m->contacts; i++) {
        const Contact *c = k->m->contact + i;
        const int axis = c->axis;
        if (z0[axis] == end->z[axis]) continue;
        for (int b = 0; b < c->borders; b++) {
            const double at = border_between(k->m->chart[0].axis + axis, c->border[b].at, z0[axis], end->z[axis]);
            if (!(at <= fmax(z0[axis], end->z[axis]))) continue;
            const double s = share_of(z0[axis], h * zd0[axis], end->z[axis], h * end->zd[axis], at);
            if (s > LEAST && s < first) first = s;
        }
    }
    return first < 1.0 - LEAST ? first : 1.0;
}

/* Accelerations before a border foresee none behind it, nor do those of a piece of a step. */
static void forget(const Kernel *k, State *state) {
    if (!k->m->midpoint) return;
    const size_t bytes = (size_t)(k->m->nf + k->m->ns) * sizeof(double);
    memset(state->zdd, 0, bytes);
    memset(state->zdd_before, 0, bytes);
    *state->age = 0.0;
}

/* One step, in two where it crosses a border: up to it, and on. */
int kt_step_over(Kernel *k, State *state, double time, double tau, double h, int cuts) {
    if (!k->m->contacts || cuts >= KT_MOST_BORDERS) return k->hot->run(k, state, time, tau, h, 1);
    const size_t bytes = k->state_numbers * sizeof(double);
    double *kept = k->before_border + (size_t)cuts * k->state_numbers;
    const State before = *state;
    memcpy(kept, state->age, bytes);
    int status = k->hot->run(k, state, time, tau, h, 1);
    if (status) return status;
    const double s = first_crossing(k, kept + (state->z - state->age), kept + (state->zd - state->age), state, h);
    if (s == 1.0) return OK;
    memcpy(state->age, kept, bytes);
    *state = before;
    k->served_step = 0.0;
    status = k->hot->run(k, state, time, tau, s * h, 1);
    forget(k, state);
    if (!status) status = kt_step_over(k, state, time, tau + s * h, h - s * h, cuts + 1);
    forget(k, state);
    return status;
}

/* The normal force at z and zd (nz), if it is less than zero: then the message is there. */
static int look(Kernel *k, const Contact *c, const double *z, const double *zd, double time, int *lost) {
    const size_t bytes = (size_t)(k->m->nf + k->m->ns) * sizeof(double);
    const Axis *a = k->m->chart[0].axis + c->axis;
    State state = kt_state(k);
    double z_here[KT_MOST_Z], zd_here[KT_MOST_Z], normal = 0.0;
    memcpy(z_here, state.z, bytes);
    memcpy(zd_here, state.zd, bytes);
    memcpy(state.z, z, bytes);
    memcpy(state.zd, zd, bytes);
    k->fresh = 0;
    const uint32_t reference = (uint32_t)c->reference;
    int status = k->hot->show(k, &reference, 1, &normal);
    memcpy(state.z, z_here, bytes);
    memcpy(state.zd, zd_here, bytes);
    k->fresh = 0;
    if (status || !(normal < 0.0)) return status;
    *lost = 1;
    kt_fail(k, OK,
            "at t = %.9g s: the follower of joint '%s' leaves its cam at '%s' = %.6g %s, where it would have to be pulled with %.6g "
            "N; the model keeps it on the cam; this is said once, see output '%s'",
            time, c->name, a->name, a->told * z[c->axis], a->unit, -normal, k->m->variable[c->reference].name);
    return OK;
}

/* Both sides of the border at z = `at` of the axis, on the way from z0, zd0 to z1, zd1 in the time h. */
static int cross(Kernel *k, const Contact *c, const double *z0, const double *zd0, const State *end, double time, double h, double at,
                 int *lost) {
    const Axis *a = k->m->chart[0].axis + c->axis;
    const int nz = k->m->nf + k->m->ns, axis = c->axis;
    const double s = share_of(z0[axis], h * zd0[axis], end->z[axis], h * end->zd[axis], at), r = 1.0 - s;
    const double beside = fmax(BESIDE * (a->upper - a->lower), ROUNDINGS * fabs(at)), way = end->z[axis] > z0[axis] ? 1.0 : -1.0;
    double z[KT_MOST_Z], zd[KT_MOST_Z];
    for (int i = 0; i < nz; i++) {
        z[i] = r * r * ((1.0 + 2.0 * s) * z0[i] + s * h * zd0[i]) + s * s * ((1.0 + 2.0 * r) * end->z[i] - r * h * end->zd[i]);
        zd[i] = r * zd0[i] + s * end->zd[i];
    }
    int status = OK;
    for (int side = -1; side <= 1 && !status && !*lost; side += 2) {
        z[axis] = at + side * way * beside;
        status = look(k, c, z, zd, time + s * h, lost);
    }
    return status;
}

/* Whether one is lost on the way from z0, zd0 at a time to the state; then the message is there. */
int kt_watch(Kernel *k, const State *end, const double *z0, const double *zd0, double time, double h, int *lost) {
    int status = OK;
    for (int i = 0; i < k->m->contacts && !status && !*lost; i++) {
        const Contact *c = k->m->contact + i;
        const double from = z0[c->axis], to = end->z[c->axis];
        for (int b = 0; b < c->borders && from != to && !status && !*lost; b++) {
            const double at = border_between(k->m->chart[0].axis + c->axis, c->border[b].at, from, to);
            if (at <= fmax(from, to)) status = cross(k, c, z0, zd0, end, time, h, at, lost);
        }
        if (!status && !*lost) status = look(k, c, end->z, end->zd, time + h, lost);
    }
    return status;
}
