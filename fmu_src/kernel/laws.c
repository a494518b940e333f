/* Force laws of springs, stops, dampers and bushings: argument, side and curve, equations (1) to (4) of law_parts.py.
 *
 * A curve of laws_list.h has three functions here that are called after it: its value, its integral from 0, its slope. */
#include "kernel.h"

/* --- curves ------------------------------------------------------------------------------------------------------- */

typedef struct { const double *p; const int *own; int count; } Numbers; /* parameters of a curve */

static double get(const Numbers *n, int i) { return n->p[n->own[i]]; }

static double linear_value(const Numbers *n, double v) { return get(n, 0) * v; }
static double linear_integral(const Numbers *n, double v) { return 0.5 * get(n, 0) * v * v; }
static double linear_slope(const Numbers *n, double v) { return (void)v, get(n, 0); }

static double constant_value(const Numbers *n, double v) { return (void)v, get(n, 0); }
static double constant_integral(const Numbers *n, double v) { return get(n, 0) * v; }
static double constant_slope(const Numbers *n, double v) { return (void)n, (void)v, 0.0; }

/* x_i and f_i of a table. */
static double x_of(const Numbers *n, int i) { return get(n, i); }
static double f_of(const Numbers *n, int i) { return get(n, n->count / 2 + i); }

/* Which piece of the table v is in; the end pieces go on for ever. */
static int piece(const Numbers *n, double v) {
    int i = 0;
    while (i < n->count / 2 - 2 && v >= x_of(n, i + 1)) i++;
    return i;
}

static double table_slope(const Numbers *n, double v) {
    int i = piece(n, v);
    return (f_of(n, i + 1) - f_of(n, i)) / (x_of(n, i + 1) - x_of(n, i));
}

static double table_value(const Numbers *n, double v) {
    int i = piece(n, v);
    double x = x_of(n, i), f = f_of(n, i);
    return f + (v - x) * (f_of(n, i + 1) - f) / (x_of(n, i + 1) - x);
}

static double integral_from_start(const Numbers *n, double v) {
    int i = piece(n, v);
    double whole = 0.0;
    for (int j = 0; j < i; j++) whole += 0.5 * (f_of(n, j) + f_of(n, j + 1)) * (x_of(n, j + 1) - x_of(n, j));
    return whole + 0.5 * (f_of(n, i) + table_value(n, v)) * (v - x_of(n, i));
}

static double table_integral(const Numbers *n, double v) { return integral_from_start(n, v) - integral_from_start(n, 0.0); }

/* The v nearest zero where a table is a force; NAN if it never is. */
static double table_inverse(const Numbers *n, double force) {
    const int last = n->count / 2 - 2;
    double found = NAN;
    for (int i = 0; i <= last; i++) {
        const double x = x_of(n, i), f = f_of(n, i), rise = f_of(n, i + 1) - f;
        double v;
        if (rise == 0.0) {
            if (force != f) continue;
            v = i > 0 && x > 0.0 ? x : i < last && x_of(n, i + 1) < 0.0 ? x_of(n, i + 1) : 0.0;
        } else {
            if ((i > 0 && (force - f) * rise < 0.0) || (i < last && (f_of(n, i + 1) - force) * rise < 0.0)) continue;
            v = x + (force - f) / rise * (x_of(n, i + 1) - x);
        }
        if (isfinite(v) && !(fabs(v) >= fabs(found))) found = v;
    }
    return found;
}

static double linear_inverse(const Numbers *n, double force) {
    const double v = force / get(n, 0);
    return isfinite(v) ? v : 0.0;
}

/* --- all curves --------------------------------------------------------------------------------------------------- */

#define CASE(NAME, name, ...) case KT_LAW_##NAME: return name##_value(n, v);
static double value(int curve, const Numbers *n, double v) {
    switch (curve) { KT_CURVES(CASE) default: return 0.0; }
}
#undef CASE

#define CASE(NAME, name, ...) case KT_LAW_##NAME: return name##_integral(n, v);
static double integral(int curve, const Numbers *n, double v) {
    switch (curve) { KT_CURVES(CASE) default: return 0.0; }
}
#undef CASE

#define CASE(NAME, name, ...) case KT_LAW_##NAME: return name##_slope(n, v);
static double slope(int curve, const Numbers *n, double v) {
    switch (curve) { KT_CURVES(CASE) default: return 0.0; }
}
#undef CASE

/* Of the curves that laws with a preload may have. */
static double inverse(int curve, const Numbers *n, double force) {
    switch (curve) {
    case KT_LAW_LINEAR: return linear_inverse(n, force);
    case KT_LAW_TABLE: return table_inverse(n, force);
    default: return 0.0;
    }
}

#define FORM(NAME, name, single, table, linear) {single, table, linear},
static const struct { int single, table, linear; } form[KT_LAW_CURVES] = {KT_CURVES(FORM)};
#undef FORM

/* --- laws --------------------------------------------------------------------------------------------------------- */

static Numbers numbers_of(const Law *law, const double *p) {
    Numbers n = {p, law->parameters, law->count};
    return n;
}

/* u, equation (1). */
static double argument(const Law *law, const double *p, double s, double sdot) {
    if (law->argument == KT_LAW_RATE) return sdot;
    double reference = law->reference < 0 ? law->design : p[law->reference];
    return law->argument == KT_LAW_COMPRESSION ? reference - s : s - reference;
}

/* Where on its curve a law with a preload is at design, x of equation (5). */
static double at_design(const Law *law, const Numbers *n) {
    return form[law->curve].linear ? 0.0 : inverse(law->curve, n, n->p[law->preload]);
}

/* Whether its numbers of parameters are possible. */
int kt_law_fits(const Law *law) {
    int rest = law->count - form[law->curve].single;
    if (law->argument == KT_LAW_RATE && law->reference >= 0) return 0;
    if (law->preload >= 0 && (law->argument == KT_LAW_RATE || law->side != KT_LAW_BOTH || law->reference >= 0 ||
                              (law->curve != KT_LAW_LINEAR && law->curve != KT_LAW_TABLE)))
        return 0;
    return form[law->curve].table ? rest >= 4 && rest % 2 == 0 : rest == 0;
}

/* Whether its force is a constant, or one plus a part in proportion to the measure or its rate. */
int kt_law_linear(const Law *law) { return form[law->curve].linear && law->side == KT_LAW_BOTH; }

/* Equation (2). */
double kt_law_force(const Law *law, const double *p, double s, double sdot) {
    Numbers n = numbers_of(law, p);
    double u = argument(law, p, s, sdot);
    double f;
    if (law->preload >= 0) {
        const double x = at_design(law, &n);
        f = p[law->preload] + (value(law->curve, &n, x + u) - value(law->curve, &n, x));
    } else
        f = value(law->curve, &n, law->side == KT_LAW_BOTH || u > 0.0 ? u : 0.0);
    return law->argument == KT_LAW_COMPRESSION ? f : -f;
}

/* Equation (3). */
double kt_law_potential(const Law *law, const double *p, double s) {
    if (law->argument == KT_LAW_RATE) return 0.0;
    Numbers n = numbers_of(law, p);
    double u = argument(law, p, s, 0.0);
    if (law->preload >= 0) {
        const double x = at_design(law, &n), whole = integral(law->curve, &n, x + u) - integral(law->curve, &n, x);
        return (p[law->preload] - value(law->curve, &n, x)) * u + whole;
    }
    return law->side == KT_LAW_BOTH || u > 0.0 ? integral(law->curve, &n, u) : u * value(law->curve, &n, 0.0);
}

/* Adds df/ds and df/dsdot, equation (4); of one side, where a law has a corner. */
void kt_law_slopes(const Law *law, const double *p, double s, double sdot, double *along, double *rate) {
    Numbers n = numbers_of(law, p);
    double u = argument(law, p, s, sdot);
    if (law->side != KT_LAW_BOTH && !(u > 0.0)) return;
    if (law->preload >= 0) u += at_design(law, &n);
    *(law->argument == KT_LAW_RATE ? rate : along) -= slope(law->curve, &n, u);
}

/* The measure at which a law that is given by a preload has no deflection; that of the design if its slope is zero. */
double kt_law_free(const Law *law, const double *p) {
    Numbers n = numbers_of(law, p);
    const double x = inverse(law->curve, &n, p[law->preload]);
    return law->design + (law->argument == KT_LAW_COMPRESSION ? x : -x);
}

/* --- checks ------------------------------------------------------------------------------------------------------- */

static const char *parameter_name(const Model *m, int i) { return m->variable[m->parameter[i]].name; }

/* The stiffness (or damping) of a bushing with couplings must be positive semidefinite. */
static int check_bushing(Kernel *kernel, const Bushing *bushing, int damping, const char *what) {
    const Model *m = kernel->m;
    const double *p = kernel->parameters;
    double matrix[36] = {0}, largest = 0.0;
    int n = bushing->count;
    for (int k = 0; k < n; k++) {
        const Element *e = m->element + bushing->element[k];
        double slopes[2] = {0.0, 0.0};
        for (int l = 0; l < e->laws; l++)
            if (kt_law_linear(e->law + l)) kt_law_slopes(e->law + l, p, 0.0, 0.0, slopes, slopes + 1);
        matrix[k * n + k] = -slopes[damping];
    }
    for (int c = 0; c < m->couplings; c++) {
        const Coupling *pair = m->coupling + c;
        int a = -1, b = -1;
        for (int k = 0; k < n; k++) {
            if (bushing->element[k] == pair->a) a = k;
            if (bushing->element[k] == pair->b) b = k;
        }
        if (a >= 0 && b >= 0) matrix[a * n + b] = matrix[b * n + a] = p[damping ? pair->damping : pair->stiffness];
    }
    for (int k = 0; k < n * n; k++) largest = fmax(largest, fabs(matrix[k]));
    double least = kt_smallest_eigenvalue(matrix, n);
    if (least < -1e-9 * largest)
        return kt_fail(kernel, FAILED,
                       "the %s of '%s' is indefinite: with these values it gives energy away (smallest eigenvalue "
                       "%.4g); change the directions and their couplings together, before the step",
                       what, m->element[bushing->element[0]].name, least);
    return OK;
}

static int check_table(Kernel *kernel, const Element *e, const Law *law) {
    if (!form[law->curve].table) return OK;
    const Model *m = kernel->m;
    const double *p = kernel->parameters;
    const int *x = law->parameters + form[law->curve].single;
    int n = (law->count - form[law->curve].single) / 2;
    for (int i = 0; i + 1 < n; i++)
        if (!(p[x[i]] < p[x[i + 1]]))
            return kt_fail(kernel, FAILED,
                           "parameter '%s' = %.9g must be above '%s' = %.9g: the x values of the table of '%s' must "
                           "ascend; set them together, before the step",
                           parameter_name(m, x[i + 1]), p[x[i + 1]], parameter_name(m, x[i]), p[x[i]], e->name);
    return OK;
}

/* The table of a law with a preload must have that force. */
static int check_preload(Kernel *kernel, const Element *e, const Law *law) {
    const Model *m = kernel->m;
    const double *p = kernel->parameters;
    const Numbers n = numbers_of(law, p);
    if (law->preload < 0 || isfinite(inverse(law->curve, &n, p[law->preload]))) return OK;
    double least = f_of(&n, 0), most = least;
    for (int i = 1; i < n.count / 2; i++) {
        least = fmin(least, f_of(&n, i));
        most = fmax(most, f_of(&n, i));
    }
    return kt_fail(kernel, FAILED,
                   "parameter '%s' = %.9g is a force that the table of '%s' never has: it goes from %.9g to %.9g and on "
                   "with its end slopes; set another preload, or preload and table together, before the step",
                   parameter_name(m, law->preload), p[law->preload], e->name, least, most);
}

/* Refuse parameters that no law can use. */
int kt_check_laws(Kernel *kernel) {
    const Model *m = kernel->m;
    for (int i = 0; i < m->parameters; i++)
        if (!isfinite(kernel->parameters[i]))
            return kt_fail(kernel, FAILED, "parameter '%s' is %g; set a finite number", parameter_name(m, i),
                           kernel->parameters[i]);
    for (int i = 0; i < m->elements; i++)
        for (int l = 0; l < m->element[i].laws; l++)
            if (check_table(kernel, m->element + i, m->element[i].law + l) ||
                check_preload(kernel, m->element + i, m->element[i].law + l))
                return FAILED;
    for (int i = 0; i < m->bushings; i++)
        if (check_bushing(kernel, m->bushing + i, 0, "stiffness") ||
            check_bushing(kernel, m->bushing + i, 1, "damping"))
            return FAILED;
    return OK;
}
