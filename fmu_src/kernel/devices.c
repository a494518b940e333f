/* What elements with formulas do: forces on their measures, rates of their states, slopes of both; see devices.py, whose
 * equations are named here, and programs.c for the moves that formulas are.
 *
 * It is compiled once for all processors, and sums are taken as they are written, so every build gives the same numbers.
 *
 * Values of a device: s, sdot, x, u | formulas | results on the way | parameters, inputs, constants.  Slopes are rows of as
 * many numbers for the first three; all others share a row of zeros behind these.
 */
#include "kernel.h"

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("no-associative-math", "fp-contract=off")
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

/* The formula that a move belongs to. */
static int owner_of(const Move *at) {
    while (at->op != KT_OP_END) at++;
    return at->b;
}

#define FAIL(why) return *owner = owner_of(i), why

/* Moves from one to another, at the end of a formula: why one has no value, and which; or SOUND. */
static int run(const Device *d, double *v, const Move *i, const Move *end, int *owner) {
    double x, y, slope;
    for (; i != end; i++) {
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
        case KT_OP_TABLE: v[i->to] = curve_at(d->curve + i->b, x, &slope); continue;
        case KT_OP_LESS: v[i->to] = x < v[i->b]; continue;
        case KT_OP_AT_MOST: v[i->to] = x <= v[i->b]; continue;
        case KT_OP_MORE: v[i->to] = x > v[i->b]; continue;
        case KT_OP_AT_LEAST: v[i->to] = x >= v[i->b]; continue;
        case KT_OP_JUMP_UNLESS:
            if (x == 0.0) i = d->move + i->to - 1;
            continue;
        case KT_OP_JUMP: i = d->move + i->to - 1; continue;
        case KT_OP_MOVE: v[i->to] = x; continue;
        default: /* the end of a formula */
            if (!isfinite(x)) FAIL(INFINITE);
            v[i->to] = x;
        }
    }
    return SOUND;
}

/* --- with slopes -------------------------------------------------------------------------------------------------- */

typedef struct { double *v, *rows; int width; } Slopes; /* of a device: its values, rows of slopes, numbers of each in use */

static double *row_of(const Device *d, const Slopes *s, int value) {
    return s->rows + (size_t)(value < d->flat ? value : d->flat) * (size_t)d->active;
}

#define EACH for (int j = 0; j < width; j++)

/* One operation with one argument, but for jumps: its slope is `factor` times that of the argument. */
static int operate_on_one(const Device *d, const Move *i, double x, double *value, double *factor) {
    switch (i->op) {
    case KT_OP_NEGATE: *value = -x, *factor = -1.0; return SOUND;
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
    case KT_OP_TABLE: *value = curve_at(d->curve + i->b, x, factor); return SOUND;
    default: *value = x, *factor = 1.0; return SOUND; /* a move */
    }
}

/* The same with two: the slope is (a p + b q) / c of those of the arguments, in the order of programs.py. */
static int operate_on_two(const Move *i, double x, double y, const double *p, const double *q, int width, double *value, double *to) {
    switch (i->op) {
    case KT_OP_POWER: {
        const int why = power_of(x, y, value);
        if (why != SOUND) return why;
        const double along = x != 0.0 ? y * *value / x : y == 1.0, other = x > 0.0 ? log(x) * *value : 0.0;
        EACH to[j] = along * p[j] + other * q[j];
        return SOUND;
    }
    case KT_OP_MIN: case KT_OP_MAX: {
        const int first = i->op == KT_OP_MIN ? x <= y : x >= y;
        *value = first ? x : y;
        EACH to[j] = first ? p[j] : q[j];
        return SOUND;
    }
    case KT_OP_ATAN2: {
        const double size = x * x + y * y, per = size != 0.0 ? 1.0 / size : 0.0;
        *value = atan2(x, y);
        EACH to[j] = (p[j] * y - x * q[j]) * per;
        return SOUND;
    }
    case KT_OP_SIGN: {
        if (!(y > 0.0)) return WIDTH;
        const double v = x / y, along = fabs(v) >= 1.0 ? 0.0 : 1.5 * (1.0 - v * v) / y;
        *value = smooth_sign(x, y);
        if (fabs(v) >= 1.0) EACH to[j] = 0.0;
        else EACH to[j] = along * (p[j] - v * q[j]);
        return SOUND;
    }
    default: /* comparisons */
        *value = i->op == KT_OP_LESS ? x < y : i->op == KT_OP_AT_MOST ? x <= y : i->op == KT_OP_MORE ? x > y : x >= y;
        EACH to[j] = 0.0;
        return SOUND;
    }
}

static int run_with_slopes(const Device *d, const Slopes *s, const Move *i, const Move *end, int *owner) {
    double *v = s->v;
    const int width = s->width;
    for (; i != end; i++) {
        const double x = v[i->a];
        const double *p = row_of(d, s, i->a);
        double value = x, factor = 1.0;
        int why = SOUND;
        if (i->op == KT_OP_JUMP || i->op == KT_OP_JUMP_UNLESS) {
            if (i->op == KT_OP_JUMP || x == 0.0) i = d->move + i->to - 1;
            continue;
        }
        double *to = row_of(d, s, i->to);
        switch (i->op) {
        case KT_OP_ADD: {
            const double *q = row_of(d, s, i->b);
            v[i->to] = x + v[i->b];
            EACH to[j] = p[j] + q[j];
            continue;
        }
        case KT_OP_SUBTRACT: {
            const double *q = row_of(d, s, i->b);
            v[i->to] = x - v[i->b];
            EACH to[j] = p[j] - q[j];
            continue;
        }
        case KT_OP_MULTIPLY: {
            const double *q = row_of(d, s, i->b), y = v[i->b];
            v[i->to] = x * y;
            EACH to[j] = p[j] * y + x * q[j];
            continue;
        }
        case KT_OP_DIVIDE: {
            const double *q = row_of(d, s, i->b), y = v[i->b];
            if (y == 0.0) FAIL(DIVISION);
            value = v[i->to] = x / y;
            EACH to[j] = (p[j] - value * q[j]) / y;
            continue;
        }
        case KT_OP_POWER: case KT_OP_MIN: case KT_OP_MAX: case KT_OP_ATAN2: case KT_OP_SIGN:
        case KT_OP_LESS: case KT_OP_AT_MOST: case KT_OP_MORE: case KT_OP_AT_LEAST:
            why = operate_on_two(i, x, v[i->b], p, row_of(d, s, i->b), width, &value, to);
            if (why != SOUND) FAIL(why);
            v[i->to] = value;
            continue;
        case KT_OP_END:
            if (!isfinite(x)) FAIL(INFINITE);
            EACH {
                if (!isfinite(p[j])) FAIL(SLOPE);
                to[j] = p[j];
            }
            v[i->to] = x;
            continue;
        default:
            why = operate_on_one(d, i, x, &value, &factor);
            if (why != SOUND) FAIL(why);
            v[i->to] = value;
            EACH to[j] = factor * p[j];
        }
    }
    return SOUND;
}

/* --- unknowns ----------------------------------------------------------------------------------------------------- */

static int refuse_formula(Kernel *k, const Device *d, int why, int owner) {
    const Formula *f = d->formula + owner;
    return kt_fail(k, FAILED, "element '%s': the formula of its %s %s; look at its operands, or guard it with if(...)", f->owner,
                   f->what, failures[why]);
}

static const char *owner_of_unknown(const Device *d, int i) { return d->formula[d->residual[i]].owner; }

static int refuse_slopes(Kernel *k, const Device *d) {
    return kt_fail(k, FAILED,
                   "element '%s': its residuals do not determine the unknowns %s here: their slopes are singular; check the "
                   "formulas",
                   owner_of_unknown(d, 0), d->names);
}

static int refuse_search(Kernel *k, const Device *d, const double *u, const double *step) {
    int worst = 0;
    for (int i = 1; i < d->unknowns; i++)
        if (fabs(step[i]) / d->unknown[i].nominal > fabs(step[worst]) / d->unknown[worst].nominal) worst = i;
    return kt_fail(k, FAILED,
                   "element '%s': no value of its unknown '%s' makes its residual zero, the search came to %.6g; check the "
                   "formula, or give a start value near the solution",
                   owner_of_unknown(d, worst), d->unknown[worst].name, u[worst]);
}

/* Slopes along `width` numbers, the first of which is the value `first`. */
static void seed(const Device *d, const Slopes *s, int first) {
    for (int i = 0; i < d->active; i++) {
        double *row = row_of(d, s, i);
        for (int j = 0; j < s->width; j++) row[j] = i - first == j;
    }
    memset(row_of(d, s, d->flat), 0, (size_t)d->active * sizeof *s->rows);
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
        const int at = d->active + d->residual[i];
        const double *slope = row_of(d, s, at);
        double size = 0.0;
        for (int j = 0; j < d->unknowns; j++) size = fmax(size, fabs(slope[j]) * d->unknown[j].nominal);
        const double own = fabs(s->v[at]) / size;
        if (!(own >= 0.0)) return HUGE_VAL;
        most = fmax(most, own);
    }
    return most;
}

/* Newton's step (1), (nu): 0 if there is none. */
static int find_step(const Device *d, const Slopes *s, double *matrix, double *step) {
    const int n = d->unknowns;
    for (int i = 0; i < n; i++) {
        step[i] = s->v[d->active + d->residual[i]];
        memcpy(matrix + i * n, row_of(d, s, d->active + d->residual[i]), (size_t)n * sizeof *matrix);
    }
    return solve(matrix, n, step, 1);
}

/* The unknowns, by (1), among the values, with the formulas of the residuals. */
static int find_unknowns(Kernel *k, const Device *d, const Slopes *s) {
    const int n = d->unknowns;
    double *u = s->v + d->width, from[KT_MOST_ACTIVE], step[KT_MOST_ACTIVE];
    int last = 0, owner, why;
    seed(d, s, d->width);
    if ((why = run_with_slopes(d, s, d->move, d->outer, &owner)) != SOUND) return refuse_formula(k, d, why, owner);
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        const double before = residue(d, s);
        double t = 1.0;
        int tries = 0;
        if (!find_step(d, s, k->newton, step)) return refuse_slopes(k, d);
        memcpy(from, u, (size_t)n * sizeof *u);
        for (; tries < SHORTER; tries++, t *= 0.5) {
            for (int i = 0; i < n; i++) u[i] = from[i] + t * step[i];
            if (run_with_slopes(d, s, d->move, d->outer, &owner) == SOUND && (last || residue(d, s) <= before)) break;
        }
        if (tries == SHORTER) break;
        if (last) return OK;
        last = 1;
        for (int i = 0; i < n; i++) last &= fabs(t * step[i]) <= CLOSE * (fabs(from[i]) + d->unknown[i].nominal);
    }
    return refuse_search(k, d, u, step);
}

/* Slopes (nu, width) of the unknowns along s, sdot and x, (2), as their seeds. */
static int follow(Kernel *k, const Device *d, Slopes *s) {
    const int n = d->unknowns, width = d->width;
    double *matrix = k->newton, *right = k->newton + n * n;
    int owner, why;
    s->width = d->active;
    seed(d, s, 0);
    if ((why = run_with_slopes(d, s, d->move, d->outer, &owner)) != SOUND) return refuse_formula(k, d, why, owner);
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

/* Of one device; where its slopes are, and how many there are of each. */
static int evaluate(Kernel *k, const Device *d, const double *inputs, int sloped, Slopes *s) {
    const int n = d->connections;
    double *v = s->v;
    int owner, why;
    for (int i = 0; i < n; i++) {
        v[i] = k->device_s[d->first_connection + i];
        v[n + i] = k->device_sdot[d->first_connection + i];
    }
    for (int i = 0; i < d->states; i++) v[2 * n + i] = k->device_x[d->first_state + i];
    for (int i = 0; i < d->unknowns; i++) v[d->width + i] = k->device_u[d->first_unknown + i];
    for (int i = 0; i < d->inputs; i++) v[d->flat + d->parameters + i] = inputs[k->m->device_inputs + d->first_input + i];
    s->width = d->unknowns;
    if (d->unknowns && find_unknowns(k, d, s)) return FAILED;
    if (!sloped) {
        const Move *from = d->unknowns ? d->outer : d->move;
        if ((why = run(d, v, from, d->end, &owner)) != SOUND) return refuse_formula(k, d, why, owner);
        return OK;
    }
    if (d->unknowns) {
        if (follow(k, d, s)) return FAILED;
        s->width = d->width;
        for (int i = 0; i < d->width; i++)
            for (int j = 0; j < d->width; j++) row_of(d, s, i)[j] = i == j;
    } else {
        s->width = d->width;
        seed(d, s, 0);
    }
    if ((why = run_with_slopes(d, s, d->move, d->end, &owner)) != SOUND) return refuse_formula(k, d, why, owner);
    return OK;
}

/* What all devices do at the measures, rates and states in the instance: forces, rates of states, unknowns from where they
 * were last; with slopes if these are asked for. */
int kt_respond(Kernel *k, const double *inputs, int sloped) {
    const Model *m = k->m;
    k->fresh &= ~KT_SLOTS; /* of outputs */
    for (const Device *d = m->device, *end = d + m->devices; d < end; d++) {
        Slopes s = {k->device_values + d->at, k->device_slopes, 0};
        if (evaluate(k, d, inputs, sloped, &s)) return FAILED;
        for (int i = 0; i < d->connections; i++)
            k->device_force[d->first_connection + i] = d->force[i] < 0 ? 0.0 : s.v[d->active + d->force[i]];
        for (int i = 0; i < d->states; i++) k->device_rate[d->first_state + i] = s.v[d->active + d->rate[i]];
        for (int i = 0; i < d->unknowns; i++) k->device_u[d->first_unknown + i] = s.v[d->width + i];
        if (!sloped) continue;
        double *F = k->device_F + d->slopes_at, *R = F + d->connections * d->width;
        const size_t row = (size_t)d->width * sizeof *F;
        for (int i = 0; i < d->connections; i++, F += d->width)
            if (d->force[i] < 0) memset(F, 0, row);
            else memcpy(F, row_of(d, &s, d->active + d->force[i]), row);
        for (int i = 0; i < d->states; i++, R += d->width) memcpy(R, row_of(d, &s, d->active + d->rate[i]), row);
    }
    return OK;
}

/* Parameters among the values of devices, when they have changed; and constants. */
void kt_set_devices(Kernel *k) {
    for (const Device *d = k->m->device, *end = d + k->m->devices; d < end; d++) {
        double *v = k->device_values + d->at;
        for (int i = 0; i < d->parameters; i++) v[d->flat + i] = k->parameters[d->parameter[i]];
        memcpy(v + d->fixed, d->constant, (size_t)d->constants * sizeof *v);
    }
}

/* --- at rest ------------------------------------------------------------------------------------------------------ */

#define REST_ITERATIONS 60
#define NO_PIVOT 1e-10  /* of the largest one */
#define SETTLED 1e-13   /* of a state, or of the largest step that it has made: a smaller step is the last */
#define LEFT 1e-9       /* [1/s] of a state, or of one: how much it may still change */

static void exchange(double *a, double *b, int count, int stride) {
    for (int i = 0; i < count; i++) {
        const double keep = a[i * stride];
        a[i * stride] = b[i * stride];
        b[i * stride] = keep;
    }
}

/* A solution x (n) of a x = right, zero along what a does not determine; `basic_solution` of resting.py.  a (n, n + 1) has the
 * right side in its last column. */
static void solve_basic(double *a, int n, double *x) {
    const int wide = n + 1;
    int order[KT_MOST_ACTIVE], rank = 0;
    double first = 0.0;
    for (int i = 0; i < n; i++) {
        double size = 0.0;
        for (int j = 0; j < n; j++) size = fmax(size, fabs(a[i * wide + j]));
        for (int j = 0; j < wide && size > 0.0; j++) a[i * wide + j] /= size;
        order[i] = i;
        x[i] = 0.0;
    }
    for (int k = 0; k < n; k++, rank++) {
        int row = k, column = k;
        for (int i = k; i < n; i++)
            for (int j = k; j < n; j++)
                if (fabs(a[i * wide + j]) > fabs(a[row * wide + column])) row = i, column = j;
        const double pivot = fabs(a[row * wide + column]);
        if (!k) first = pivot;
        if (!(pivot > NO_PIVOT * first)) break;
        exchange(a + k * wide, a + row * wide, wide, 1);
        exchange(a + k, a + column, n, wide);
        const int keep = order[k];
        order[k] = order[column];
        order[column] = keep;
        for (int i = k + 1; i < n; i++) {
            const double factor = a[i * wide + k] / a[k * wide + k];
            for (int j = k; j < wide; j++) a[i * wide + j] -= factor * a[k * wide + j];
        }
    }
    for (int k = rank - 1; k >= 0; k--) {
        double sum = a[k * wide + n];
        for (int j = k + 1; j < rank; j++) sum -= a[k * wide + j] * x[order[j]];
        x[order[k]] = sum / a[k * wide + k];
    }
}

/* Rows R_x (nx, nx) of a device, of `width` numbers each. */
static const double *along_states(const Kernel *k, const Device *d) {
    return k->device_F + d->slopes_at + d->connections * d->width + 2 * d->connections;
}

/* Newton's step (1) for the states of all devices: whether it is small; `most` is the largest that each has made. */
static int step_to_rest(Kernel *k, double *most) {
    int small = 1;
    for (const Device *d = k->m->device, *end = d + k->m->devices; d < end; d++) {
        const int n = d->states;
        const double *R = along_states(k, d);
        double *a = k->newton, dx[KT_MOST_ACTIVE];
        for (int i = 0; i < n; i++) {
            memcpy(a + i * (n + 1), R + i * d->width, (size_t)n * sizeof *a);
            a[i * (n + 1) + n] = -k->device_rate[d->first_state + i];
        }
        solve_basic(a, n, dx);
        for (int i = 0; i < n; i++) {
            double *x = k->device_x + d->first_state + i, *own = most + d->first_state + i;
            *x += dx[i];
            *own = fmax(*own, fabs(dx[i]));
            small &= fabs(dx[i]) <= SETTLED * fmax(fabs(*x), *own);
        }
    }
    return small;
}

/* The states of devices where their rates vanish and nothing moves, found from where they are; see resting.py. */
int kt_rest(Kernel *k, const double *inputs) {
    const Model *m = k->m;
    double *most = k->device_work;
    memset(most, 0, (size_t)m->states * sizeof *most);
    memset(k->device_sdot, 0, (size_t)m->connections * sizeof *k->device_sdot);
    for (int iteration = 0, settled = 0; iteration < REST_ITERATIONS; iteration++) {
        if (kt_respond(k, inputs, 1)) return FAILED;
        if (settled || !m->states) break;
        settled = step_to_rest(k, most);
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
