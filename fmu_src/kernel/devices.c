/* What elements with formulas do: forces on their measures, rates of their states, slopes of both; see devices.py, whose
 * equations are named here, and programs.c for the moves that formulas are.
 *
 * It is compiled once for all processors, and sums are taken as they are written, so every build gives the same numbers.
 *
 * Values of a device: s, sdot, x, u | formulas | results on the way | parameters, inputs, what loads are made of, constants.  Slopes are rows of as
 * many numbers for the first three; all others share a row of zeros behind these.  What is no number goes on until the end of
 * the formulas, and is found there.
 */
#include "kernel.h"

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("no-associative-math", "fp-contract=off", "no-tree-loop-vectorize") /* loops are short */
#endif

#define ITERATIONS 60 /* of Newton's method for unknowns */
#define CLOSE 1e-9    /* a step that is smaller, in nominal values, is the last but one */
#define SHORTER 12    /* times that a step is halved at most */

enum { DIVISION, ROOT, LOGARITHM, POWER, WIDTH, INFINITE, SLOPE, SOUND }; /* why a formula has no value, in the words of: */

static const char *const failures[] = {
    "divides by zero",
    "takes the square root of a negative number",
    "takes the logarithm of a number that is not positive",
    "takes a power that is no number",
    "takes a sign with a width that is not positive",
    "is not finite",
    "has a slope that is not finite",
};

/* --- values ------------------------------------------------------------------------------------------------------- */

/* x to the power n by repeated multiplication. */
static double whole_power(double x, int n) {
    double value = 1.0;
    for (int i = n < 0 ? -n : n; i > 0; i--) value *= x;
    return n >= 0 ? value : value != 0.0 ? 1.0 / value : HUGE_VAL;
}

/* Which piece of a table x is in; the end pieces go on for ever. */
static int piece(const Curve *c, double x) {
    int low = 0, high = c->count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (x < c->x[middle]) high = middle;
        else low = middle + 1;
    }
    low--;
    return low < 0 ? 0 : low > c->count - 2 ? c->count - 2 : low;
}

static double slope_of(const Curve *c, int i) { return (c->y[i + 1] - c->y[i]) / (c->x[i + 1] - c->x[i]); }

static double curve_at(const Curve *c, double x, double *slope) {
    const int i = piece(c, x);
    *slope = slope_of(c, i);
    return c->y[i] + (x - c->x[i]) * *slope;
}

/* Why a power has none, or SOUND. */
static int power_of(double x, double y, double *value) {
    if (x < 0.0 && fmod(y, 1.0) != 0.0) return POWER;
    if (x == 0.0 && y < 0.0) return DIVISION;
    *value = pow(x, y);
    return isinf(*value) && isfinite(x) && isfinite(y) ? INFINITE : SOUND;
}

static double smooth_sign(double x, double w) {
    const double v = x / w;
    return fabs(v) >= 1.0 ? copysign(1.0, v) : 0.5 * v * (3.0 - v * v);
}

typedef struct { const Move *at; int why; } Stop; /* where a formula has no value, and why; or the end */

#define FAIL(why) return (Stop){i, why}

/* Moves from one up to another. */
static Stop run(const Model *m, double *v, const Move *i, const Move *end) {
    double x, y, slope;
    for (; i < end; i++) {
        x = v[i->a];
        switch (i->op) {
        case KT_OP_ADD: v[i->to] = x + v[i->b]; continue;
        case KT_OP_SUBTRACT: v[i->to] = x - v[i->b]; continue;
        case KT_OP_MULTIPLY: v[i->to] = x * v[i->b]; continue;
        case KT_OP_DIVIDE:
            if ((y = v[i->b]) == 0.0) FAIL(DIVISION);
            v[i->to] = x / y;
            continue;
        case KT_OP_POWER: {
            const int why = power_of(x, v[i->b], v + i->to);
            if (why != SOUND) FAIL(why);
            continue;
        }
        case KT_OP_WHOLE_POWER:
            if (x == 0.0 && i->b < 0) FAIL(DIVISION);
            v[i->to] = whole_power(x, i->b);
            continue;
        case KT_OP_NEGATE: v[i->to] = -x; continue;
        case KT_OP_MIN: v[i->to] = x <= (y = v[i->b]) ? x : y; continue;
        case KT_OP_MAX: v[i->to] = x >= (y = v[i->b]) ? x : y; continue;
        case KT_OP_ABS: v[i->to] = fabs(x); continue;
        case KT_OP_SQRT:
            if (!(x >= 0.0)) FAIL(ROOT);
            v[i->to] = sqrt(x);
            continue;
        case KT_OP_EXP: v[i->to] = exp(x); continue;
        case KT_OP_LOG:
            if (!(x > 0.0)) FAIL(LOGARITHM);
            v[i->to] = log(x);
            continue;
        case KT_OP_SIN: case KT_OP_COS:
            if (!isfinite(x)) FAIL(INFINITE);
            v[i->to] = i->op == KT_OP_SIN ? sin(x) : cos(x);
            continue;
        case KT_OP_ATAN2: v[i->to] = atan2(x, v[i->b]); continue;
        case KT_OP_TANH: v[i->to] = tanh(x); continue;
        case KT_OP_SIGN:
            if (!((y = v[i->b]) > 0.0)) FAIL(WIDTH);
            v[i->to] = smooth_sign(x, y);
            continue;
        case KT_OP_TABLE: v[i->to] = curve_at(m->curve_of[i->b], x, &slope); continue;
        case KT_OP_LESS: v[i->to] = x < v[i->b]; continue;
        case KT_OP_AT_MOST: v[i->to] = x <= v[i->b]; continue;
        case KT_OP_MORE: v[i->to] = x > v[i->b]; continue;
        case KT_OP_AT_LEAST: v[i->to] = x >= v[i->b]; continue;
        case KT_OP_JUMP_UNLESS:
            if (x == 0.0) i = m->move + i->to - 1;
            continue;
        case KT_OP_JUMP: i = m->move + i->to - 1; continue;
        default: v[i->to] = x; /* a move */
        }
    }
    return (Stop){end, SOUND};
}

/* --- with slopes -------------------------------------------------------------------------------------------------- */

typedef struct { double *v, *rows; int width; } Slopes; /* of a device: its values, rows of slopes, numbers of each in use */

/* Of the active values, formulas and what is flat. */
static double *row_of(const Device *d, const Slopes *s, int value) { return s->rows + value * d->stride; }

/* Two numbers of a row at a time: there is room for one more than are in use. */
#define EACH(slope)                                                                                                           \
    for (int pair = 0; pair < width; pair += 2) {                                                                             \
        int j = pair;                                                                                                         \
        const double first = slope;                                                                                           \
        j++;                                                                                                                  \
        const double second = slope;                                                                                          \
        to[pair] = first;                                                                                                     \
        to[pair + 1] = second;                                                                                                \
    }

/* An operation with one argument: its slope is `factor` times that of the argument. */
static int operate_on_one(const Model *m, const Move *i, double x, double *value, double *factor) {
    switch (i->op) {
    case KT_OP_WHOLE_POWER:
        if (x == 0.0 && i->b < 0) return DIVISION;
        *value = whole_power(x, i->b);
        *factor = i->b ? i->b * whole_power(x, i->b - 1) : 0.0;
        return SOUND;
    case KT_OP_ABS: *value = fabs(x), *factor = x >= 0.0 ? 1.0 : -1.0; return SOUND;
    case KT_OP_SQRT:
        if (!(x >= 0.0)) return ROOT;
        *value = sqrt(x);
        *factor = *value != 0.0 ? 0.5 / *value : 0.0;
        return SOUND;
    case KT_OP_EXP: *value = *factor = exp(x); return SOUND;
    case KT_OP_LOG:
        if (!(x > 0.0)) return LOGARITHM;
        *value = log(x), *factor = 1.0 / x;
        return SOUND;
    case KT_OP_SIN: case KT_OP_COS: {
        if (!isfinite(x)) return INFINITE;
        const double sine = sin(x), cosine = cos(x);
        *value = i->op == KT_OP_SIN ? sine : cosine;
        *factor = i->op == KT_OP_SIN ? cosine : -sine;
        return SOUND;
    }
    case KT_OP_TANH:
        *value = tanh(x);
        *factor = 1.0 - *value * *value;
        return SOUND;
    default: *value = curve_at(m->curve_of[i->b], x, factor); return SOUND;
    }
}

/* The slope of an operation with two arguments is along p + other q, of their slopes p and q. */
typedef struct { double along, other; } Chain;

/* A power, a sign or a comparison: how its slopes join. */
static int operate_on_two(const Move *i, double x, double y, double *value, Chain *c) {
    *c = (Chain){0.0, 0.0};
    switch (i->op) {
    case KT_OP_POWER: {
        const int why = power_of(x, y, value);
        if (why != SOUND) return why;
        c->along = x != 0.0 ? y * *value / x : y == 1.0;
        c->other = x > 0.0 ? log(x) * *value : 0.0;
        return SOUND;
    }
    case KT_OP_LESS: *value = x < y; return SOUND;
    case KT_OP_AT_MOST: *value = x <= y; return SOUND;
    case KT_OP_MORE: *value = x > y; return SOUND;
    default: *value = x >= y; return SOUND;
    }
}

/* As `run`, with slopes. */
static Stop run_with_slopes(const Model *m, const Slopes *s, const Move *i, const Move *end) {
    double *v = s->v, x, y, value, factor;
    const int width = s->width;
    int why;
    for (; i < end; i++) {
        const double *p = s->rows + i->row_a, *q = s->rows + i->row_b;
        double *to = s->rows + i->row;
        x = v[i->a];
        switch (i->op) {
        case KT_OP_ADD:
            v[i->to] = x + v[i->b];
            EACH(p[j] + q[j])
            continue;
        case KT_OP_SUBTRACT:
            v[i->to] = x - v[i->b];
            EACH(p[j] - q[j])
            continue;
        case KT_OP_MULTIPLY:
            y = v[i->b];
            v[i->to] = x * y;
            EACH(p[j] * y + x * q[j])
            continue;
        case KT_OP_DIVIDE:
            if ((y = v[i->b]) == 0.0) FAIL(DIVISION);
            value = v[i->to] = x / y;
            EACH((p[j] - value * q[j]) / y)
            continue;
        case KT_OP_NEGATE:
            v[i->to] = -x;
            EACH(-p[j])
            continue;
        case KT_OP_MIN: case KT_OP_MAX:
            y = v[i->b];
            if (i->op == KT_OP_MIN ? !(x <= y) : !(x >= y)) x = y, p = q;
            v[i->to] = x;
            EACH(p[j])
            continue;
        case KT_OP_ATAN2:
            y = v[i->b];
            v[i->to] = atan2(x, y);
            value = x * x + y * y;
            factor = value != 0.0 ? 1.0 / value : 0.0;
            EACH((p[j] * y - x * q[j]) * factor)
            continue;
        case KT_OP_SIGN:
            if (!((y = v[i->b]) > 0.0)) FAIL(WIDTH);
            v[i->to] = smooth_sign(x, y);
            value = x / y;
            factor = 1.5 * (1.0 - value * value) / y;
            if (fabs(value) >= 1.0) EACH(0.0)
            else EACH(factor * (p[j] - value * q[j]))
            continue;
        case KT_OP_POWER: case KT_OP_LESS: case KT_OP_AT_MOST: case KT_OP_MORE: case KT_OP_AT_LEAST: {
            Chain c;
            if ((why = operate_on_two(i, x, v[i->b], &value, &c)) != SOUND) FAIL(why);
            v[i->to] = value;
            if (i->op == KT_OP_POWER) EACH(c.along * p[j] + c.other * q[j])
            else EACH(0.0)
            continue;
        }
        case KT_OP_JUMP_UNLESS:
            if (x == 0.0) i = m->move + i->to - 1;
            continue;
        case KT_OP_JUMP: i = m->move + i->to - 1; continue;
        case KT_OP_MOVE:
            v[i->to] = x;
            EACH(p[j])
            continue;
        default:
            if ((why = operate_on_one(m, i, x, &value, &factor)) != SOUND) FAIL(why);
            v[i->to] = value;
            EACH(factor * p[j])
        }
    }
    return (Stop){end, SOUND};
}

/* Whether the formulas before `count` have values, and slopes if these are asked for, where moves have come to; the first one
 * that has none is told. */
static int check(Kernel *k, const Device *d, const Slopes *s, int sloped, int count, Stop stop) {
    const Model *m = k->m;
    const int place = (int)(stop.at - m->move);
    int i = 0, why = stop.why;
    for (; i < count; i++) {
        if (why != SOUND && d->ends[i] > place) break;
        if (!isfinite(s->v[d->at + d->active + i])) { why = INFINITE; break; }
        int sound = 1;
        for (int j = 0; sloped && j < s->width; j++) sound &= isfinite(row_of(d, s, d->active + i)[j]) != 0;
        if (!sound) { why = SLOPE; break; }
    }
    if (why == SOUND) return OK;
    const Formula *f = d->formula + i;
    return kt_fail(k, FAILED, "element '%s': the formula of its %s %s; look at its operands, or guard it with if(...)", f->owner,
                   f->what, failures[why]);
}

/* --- unknowns ----------------------------------------------------------------------------------------------------- */

static const char *owner_of_unknown(const Device *d, int i) { return d->formula[d->residual[i]].owner; }

static int refuse_slopes(Kernel *k, const Device *d) {
    return kt_fail(k, FAILED,
                   "element '%s': its residuals do not determine the unknowns %s here: their slopes are singular; check the "
                   "formulas, or give other start values",
                   owner_of_unknown(d, 0), d->names);
}

static int refuse_search(Kernel *k, const Device *d, const double *u, const double *step) {
    int worst = 0;
    for (int i = 1; i < d->unknowns; i++)
        if (fabs(step[i]) / d->unknown[i].nominal > fabs(step[worst]) / d->unknown[worst].nominal) worst = i;
    for (int l = 0; l < d->loads; l++)
        if (d->pressed[l] == worst)
            return kt_fail(k, FAILED,
                           "element '%s': no value of the load '%s' fits the forces that follow from it, the search came to "
                           "%.6g N; they grow too fast with it: check the formulas, or reduce 'solver.step'",
                           owner_of_unknown(d, worst), d->unknown[worst].name, u[worst]);
    return kt_fail(k, FAILED,
                   "element '%s': no value of its unknown '%s' makes its residual zero, the search came to %.6g; check the "
                   "formula, or give a start value near the solution",
                   owner_of_unknown(d, worst), d->unknown[worst].name, u[worst]);
}

/* Slopes along `width` numbers, the first of which is the value `first`. */
static void seed(const Device *d, const Slopes *s, int first) {
    const int numbers = d->active * d->stride;
    double *flat = row_of(d, s, d->flat);
    for (int i = 0; i < numbers; i++) s->rows[i] = 0.0;
    for (int j = 0; j < d->stride; j++) flat[j] = 0.0;
    for (int j = 0; j < s->width; j++) s->rows[(first + j) * d->stride + j] = 1.0;
}

/* matrix (n, n) x = -right (n, columns), which becomes x: 0 if there is none. */
static int solve(double *matrix, int n, double *right, int columns) {
    int found = kt_lu_solve(matrix, n, right, columns);
    for (int i = 0; i < n * columns; i++) {
        found &= isfinite(right[i]) != 0;
        right[i] = -right[i];
    }
    return found;
}

/* The largest residual, each over what a usual unknown makes of it. */
static double residue(const Device *d, const Slopes *s) {
    double most = 0.0;
    for (int i = 0; i < d->unknowns; i++) {
        const double *slope = row_of(d, s, d->active + d->residual[i]);
        double size = 0.0;
        for (int j = 0; j < d->unknowns; j++) size = fmax(size, fabs(slope[j]) * d->unknown[j].nominal);
        const double own = fabs(s->v[d->at + d->active + d->residual[i]]) / size;
        if (!(own >= 0.0)) return HUGE_VAL;
        most = fmax(most, own);
    }
    return most;
}

/* Newton's step (1), (nu): 0 if there is none. */
static int find_step(const Device *d, const Slopes *s, double *matrix, double *step) {
    const int n = d->unknowns;
    for (int i = 0; i < n; i++) {
        step[i] = s->v[d->at + d->active + d->residual[i]];
        memcpy(matrix + i * n, row_of(d, s, d->active + d->residual[i]), (size_t)n * sizeof *matrix);
    }
    return solve(matrix, n, step, 1);
}

/* Residuals with their slopes. */
static int find_residuals(Kernel *k, const Device *d, const Slopes *s) {
    return check(k, d, s, 1, d->inner, run_with_slopes(k->m, s, d->move, d->outer));
}

/* Whether loads that are unknowns grow with what they are without forces of the device, where unknowns are found. */
static int check_loads(Kernel *k, const Device *d, const Slopes *s) {
    const int n = d->unknowns, columns = d->loads;
    double *matrix = k->newton, *right = k->newton + n * n;
    if (!columns) return OK;
    for (int i = 0; i < n; i++) {
        memcpy(matrix + i * n, row_of(d, s, d->active + d->residual[i]), (size_t)n * sizeof *matrix);
        for (int l = 0; l < columns; l++) right[i * columns + l] = d->pressed[l] == i ? -1.0 : 0.0;
    }
    if (!solve(matrix, n, right, columns)) return refuse_slopes(k, d);
    for (int l = 0; l < columns; l++) {
        const int own = d->pressed[l];
        const double growth = right[own * columns + l];
        if (!(growth > 0.0))
            return kt_fail(k, FAILED,
                           "element '%s': it locks itself: the load '%s' is %.6g N, and one unit more of it from outside would "
                           "change it by %.6g, since the element's forces add to it as fast; check its coefficient of friction",
                           owner_of_unknown(d, own), d->unknown[own].name, s->v[d->at + d->width + own], growth);
    }
    return OK;
}

/* The unknowns, by (1), among the values, with the formulas of the residuals. */
static int find_unknowns(Kernel *k, const Device *d, const Slopes *s) {
    const int n = d->unknowns;
    double *u = s->v + d->at + d->width, from[KT_MOST_ACTIVE], step[KT_MOST_ACTIVE];
    int last = 0;
    seed(d, s, d->width);
    if (find_residuals(k, d, s)) return FAILED;
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        const double before = residue(d, s);
        double t = 1.0;
        int tries = 0;
        if (!find_step(d, s, k->newton, step)) return refuse_slopes(k, d);
        memcpy(from, u, (size_t)n * sizeof *u);
        for (; tries < SHORTER; tries++, t *= 0.5) {
            for (int i = 0; i < n; i++) u[i] = from[i] + t * step[i];
            if (!find_residuals(k, d, s) && (last || residue(d, s) <= before)) break;
        }
        if (tries == SHORTER) break;
        if (last) return check_loads(k, d, s);
        last = 1;
        for (int i = 0; i < n; i++) last &= fabs(t * step[i]) <= CLOSE * (fabs(from[i]) + d->unknown[i].nominal);
    }
    return refuse_search(k, d, u, step);
}

/* Slopes (nu, width) of the unknowns along s, sdot and x, (2), as their seeds. */
static int follow(Kernel *k, const Device *d, Slopes *s) {
    const int n = d->unknowns, width = d->width;
    double *matrix = k->newton, *right = k->newton + n * n;
    s->width = d->active;
    seed(d, s, 0);
    if (find_residuals(k, d, s)) return FAILED;
    for (int i = 0; i < n; i++) {
        const double *slope = row_of(d, s, d->active + d->residual[i]);
        memcpy(matrix + i * n, slope + width, (size_t)n * sizeof *slope);
        memcpy(right + i * width, slope, (size_t)width * sizeof *slope);
    }
    if (!solve(matrix, n, right, width)) return refuse_slopes(k, d);
    for (int i = 0; i < n; i++) memcpy(row_of(d, s, width + i), right + i * width, (size_t)width * sizeof *right);
    return OK;
}

/* --- what they do ------------------------------------------------------------------------------------------------- */

static const Move *end_of(const Model *m, const Device *d) { return d->formulas ? m->move + d->ends[d->formulas - 1] : d->move; }

/* Slopes along s, sdot and x of one device, whose unknowns are found. */
static int find_slopes(Kernel *k, const Device *d, Slopes *s) {
    if (d->unknowns && follow(k, d, s)) return FAILED;
    s->width = d->width;
    if (!d->unknowns) seed(d, s, 0);
    for (int i = 0; i < d->width && d->unknowns; i++)
        for (int j = 0; j < d->stride; j++) row_of(d, s, i)[j] = i == j;
    if (check(k, d, s, 1, d->formulas, run_with_slopes(k->m, s, d->move, end_of(k->m, d)))) return FAILED;
    double *F = k->device_F + d->slopes_at;
    for (int i = 0; i < d->connections + d->states; i++) {
        const int own = i < d->connections ? d->force[i] : d->rate[i - d->connections];
        const double *from = row_of(d, s, own < 0 ? d->flat : d->active + own);
        for (int j = 0; j < d->width; j++) *F++ = from[j];
    }
    return OK;
}

/* One device with unknowns, or with slopes. */
static int evaluate(Kernel *k, const Device *d, int sloped) {
    Slopes s = {k->device_values, k->device_slopes, d->unknowns};
    double *u = k->device_values + d->at + d->width, *found = k->device_u + d->first_unknown;
    for (int i = 0; i < d->unknowns; i++) u[i] = found[i];
    if (d->unknowns && find_unknowns(k, d, &s)) return FAILED;
    for (int i = 0; i < d->unknowns; i++) found[i] = u[i];
    if (sloped) return find_slopes(k, d, &s);
    return check(k, d, &s, 0, d->formulas, run(k->m, s.v, d->unknowns ? d->outer : d->move, end_of(k->m, d)));
}

/* All devices, which have no unknowns: values alone. */
static int evaluate_all(Kernel *k) {
    const Model *m = k->m;
    const Slopes s = {k->device_values, k->device_slopes, 0};
    const Stop stop = run(m, k->device_values, m->move, m->move_end);
    int sound = stop.why == SOUND;
    for (const Device *d = m->device, *end = d + m->devices; d < end; d++) {
        const double *v = k->device_values + d->at + d->active;
        for (int i = 0; i < d->formulas; i++) sound &= isfinite(v[i]) != 0;
    }
    if (sound) return OK;
    for (const Device *d = m->device, *end = d + m->devices; d < end; d++) {
        const int here = stop.at < end_of(m, d);
        if (check(k, d, &s, 0, d->formulas, here ? stop : (Stop){end_of(m, d), SOUND})) return FAILED;
    }
    return OK;
}

/* What all devices do at the measures and rates among their values, and at the states in the instance: forces, rates of states,
 * unknowns from where they were last; with slopes if these are asked for. */
int kt_respond(Kernel *k, const double *inputs, int sloped) {
    const Model *m = k->m;
    double *v = k->device_values;
    k->fresh &= ~KT_SLOTS; /* of outputs */
    for (int i = 0; i < m->states; i++) v[m->held_at[i].x] = k->device_x[i];
    for (int i = m->device_inputs; i < m->inputs; i++) v[m->input_at[i - m->device_inputs]] = inputs[i];
    if (!sloped && !m->unknowns && evaluate_all(k)) return FAILED;
    if (sloped || m->unknowns)
        for (const Device *d = m->device, *end = d + m->devices; d < end; d++)
            if (evaluate(k, d, sloped)) return FAILED;
    for (int i = 0; i < m->connections; i++) k->device_force[i] = v[m->tie[i].force];
    for (int i = 0; i < m->states; i++) k->device_rate[i] = v[m->held_at[i].rate];
    return OK;
}

/* Where v of swift.py begins for the states of a device, and by how much their rates change with measures that move, r. */
void kt_begin_swift(const Device *d, const double *R, double time, double *r, double *v) {
    const int n = d->connections, nx = d->states;
    for (int i = 0; i < nx; i++) {
        const double *row = R + i * d->width;
        r[i] = 0.0;
        for (int j = 0; j < n; j++) r[i] += fabs(row[j]) * time + fabs(row[n + j]);
        v[i] = fmax(r[i] * time, KT_SMALLEST);
    }
    for (int i = 0; i < nx; i++) { /* states that others drive */
        double sum = 0.0;
        for (int j = 0; j < nx; j++) sum += fabs(R[i * d->width + 2 * n + j]) * v[j];
        v[i] = fmax(v[i], sum * time);
    }
}

/* How fast devices are for a step, as far as states go: see swift.h, where `time` is 2 / limit.  w (connections) becomes how much
 * forces change while measures move at the rate 1; 0 if states are too fast. */
int kt_calm(const Kernel *k, double time, double *w) {
    const Model *m = k->m;
    for (const Device *d = m->device, *end = d + m->devices; d < end; d++) {
        const int n = d->connections, nx = d->states;
        const double *F = k->device_F + d->slopes_at, *R = F + n * d->width;
        double r[KT_MOST_ACTIVE], v[KT_MOST_ACTIVE];
        kt_begin_swift(d, R, time, r, v);
        for (int i = 0; i < nx; i++, R += d->width) {
            double sum = r[i];
            for (int j = 0; j < nx; j++) sum += fabs(R[2 * n + j]) * v[j];
            if (!(sum * time <= 2.0 * v[i])) return 0;
        }
        for (int i = 0; i < n; i++, F += d->width) {
            double sum = 0.0;
            for (int j = 0; j < n; j++) sum += fabs(F[j]) * time + fabs(F[n + j]);
            for (int j = 0; j < nx; j++) sum += fabs(F[2 * n + j]) * v[j];
            *w++ = sum;
        }
    }
    return 1;
}

/* Parameters among the values of devices, when they have changed; and constants. */
void kt_set_devices(Kernel *k) {
    if (k->m->devices) k->device_values[0] = 0.0;
    for (const Device *d = k->m->device, *end = d + k->m->devices; d < end; d++) {
        double *v = k->device_values + d->at;
        for (int i = 0; i < d->parameters; i++) v[d->flat + i] = k->parameters[d->parameter[i]];
        memcpy(v + d->fixed, d->constant, (size_t)d->constants * sizeof *v);
    }
}

/* --- at rest ------------------------------------------------------------------------------------------------------ */

#define REST_ITERATIONS 60
#define LONG 1e6        /* [s] T of (1) */
#define SETTLED 1e-13   /* of a state, or of the largest step that it has made: a smaller step is the last */
#define LEFT 1e-9       /* [1/s] of a state, or of one: how much it may still change */

/* Rows R_x (nx, nx) of a device, of `width` numbers each. */
static const double *along_states(const Kernel *k, const Device *d) {
    return k->device_F + d->slopes_at + d->connections * d->width + 2 * d->connections;
}

/* The step (1) for the states of all devices, and whether it is small; `most` is the largest that each has made. */
static int step_to_rest(Kernel *k, double *most, int *small) {
    *small = 1;
    for (const Device *d = k->m->device, *end = d + k->m->devices; d < end; d++) {
        const int n = d->states;
        const double *R = along_states(k, d);
        double *a = k->newton, dx[KT_MOST_ACTIVE];
        for (int i = 0; i < n; i++) {
            double size = 0.0;
            for (int j = 0; j < n; j++) {
                a[i * n + j] = (i == j) / LONG - R[i * d->width + j];
                size = fmax(size, fabs(a[i * n + j]));
            }
            for (int j = 0; j < n; j++) a[i * n + j] /= size;
            dx[i] = k->device_rate[d->first_state + i] / size;
        }
        if (!kt_lu_solve(a, n, dx, 1))
            return kt_fail(k, FAILED,
                           "the states of elements do not come to rest: their rates do not determine them; check their formulas, "
                           "or set 'solver.static' = 0");
        for (int i = 0; i < n; i++) {
            double *x = k->device_x + d->first_state + i, *own = most + d->first_state + i;
            *x += dx[i];
            *own = fmax(*own, fabs(dx[i]));
            *small &= fabs(dx[i]) <= SETTLED * fmax(fabs(*x), *own);
        }
    }
    return OK;
}

/* The states to which devices go where nothing moves, from where they are; see resting.py, whose equations are named. */
int kt_rest(Kernel *k, const double *inputs) {
    const Model *m = k->m;
    double *most = k->device_work;
    for (const Device *d = m->device, *end = d + m->devices; d < end; d++)
        if (d->loads)
            return kt_fail(k, FAILED,
                           "'%s' is a load that an element reads: it is known in motion alone, and no state of rest is sought "
                           "with it; set 'solver.static' = 0",
                           d->unknown[d->pressed[0]].name);
    memset(most, 0, (size_t)m->states * sizeof *most);
    for (int i = 0; i < m->connections; i++) k->device_values[m->tie[i].sdot] = 0.0;
    for (int iteration = 0, settled = 0; iteration < REST_ITERATIONS; iteration++) {
        if (kt_respond(k, inputs, 1)) return FAILED;
        if (settled || !m->states) break;
        if (step_to_rest(k, most, &settled)) return FAILED;
    }
    for (const Device *d = m->device, *end = d + m->devices; d < end; d++)
        for (int i = 0; i < d->states; i++) {
            const double *R = along_states(k, d) + i * d->width, rate = k->device_rate[d->first_state + i];
            double change = 0.0;
            for (int j = 0; j < d->states; j++) change += fabs(R[j]) * most[d->first_state + j];
            change = fmax(change, fmax(fabs(k->device_x[d->first_state + i]), 1.0));
            if (!(fabs(rate) > LEFT * change)) continue;
            return kt_fail(k, FAILED,
                           "the states of elements do not come to rest: '%s' keeps changing at %.6g per second where nothing "
                           "moves; check its formula and the inputs, or set 'solver.static' = 0",
                           d->state[i].name, rate);
        }
    return OK;
}
