/* Force laws of springs, stops, dampers and bushings; see laws.py. */
#include "internal.h"

/* The table behind `lead` other parameters: x are p[law[lead]].., f follow. */
typedef struct { const double *p; const int *x, *f; int n; } Table;

static Table table_of(const Law *law, const double *p) {
    int lead = law->kind == SPRING_TABLE || law->kind == STOP_BELOW_TABLE || law->kind == STOP_ABOVE_TABLE;
    int n = (law->count - lead) / 2;
    Table t = {p, law->parameters + lead, law->parameters + lead + n, n};
    return t;
}

/* Which piece of the table u is in; the end pieces go on for ever. */
static int piece(const Table *t, double u) {
    int i = 0;
    while (i < t->n - 2 && u >= t->p[t->x[i + 1]]) i++;
    return i;
}

static double slope_of(const Table *t, double u) {
    int i = piece(t, u);
    return (t->p[t->f[i + 1]] - t->p[t->f[i]]) / (t->p[t->x[i + 1]] - t->p[t->x[i]]);
}

static double interpolate(const Table *t, double u) {
    int i = piece(t, u);
    double x = t->p[t->x[i]], f = t->p[t->f[i]];
    return f + (u - x) * (t->p[t->f[i + 1]] - f) / (t->p[t->x[i + 1]] - x);
}

static double integral_from_start(const Table *t, double u) {
    int i = piece(t, u);
    double whole = 0.0;
    for (int j = 0; j < i; j++)
        whole += 0.5 * (t->p[t->f[j]] + t->p[t->f[j + 1]]) * (t->p[t->x[j + 1]] - t->p[t->x[j]]);
    return whole + 0.5 * (t->p[t->f[i]] + interpolate(t, u)) * (u - t->p[t->x[i]]);
}

static double integral(const Table *t, double u) { return integral_from_start(t, u) - integral_from_start(t, 0.0); }

static double stop_potential(const Table *t, double u) { return u > 0.0 ? integral(t, u) : u * interpolate(t, 0.0); }

double kt_law_force(const Law *law, const double *p, double s, double sdot) {
    double a = p[law->parameters[0]], b = law->count > 1 ? p[law->parameters[1]] : 0.0;
    if (law->kind == LINEAR) return -a * s;
    if (law->kind == DAMPER) return -a * sdot;
    Table t = table_of(law, p);
    switch (law->kind) {
    case SPRING: return a * (b - s);
    case SPRING_TABLE: return interpolate(&t, a - s);
    case STOP_BELOW: return b > s ? a * (b - s) : 0.0;
    case STOP_BELOW_TABLE: return interpolate(&t, fmax(a - s, 0.0));
    case STOP_ABOVE: return s > b ? -a * (s - b) : 0.0;
    case STOP_ABOVE_TABLE: return -interpolate(&t, fmax(s - a, 0.0));
    case LINEAR_TABLE: return -interpolate(&t, s);
    case CONSTANT: return a;
    case DAMPER_TABLE: return -interpolate(&t, sdot);
    default: return 0.0;
    }
}

double kt_law_potential(const Law *law, const double *p, double s) {
    double a = p[law->parameters[0]], b = law->count > 1 ? p[law->parameters[1]] : 0.0, u;
    Table t = table_of(law, p);
    switch (law->kind) {
    case SPRING: u = b - s; return 0.5 * a * u * u;
    case SPRING_TABLE: return integral(&t, a - s);
    case STOP_BELOW: u = fmax(b - s, 0.0); return 0.5 * a * u * u;
    case STOP_BELOW_TABLE: return stop_potential(&t, a - s);
    case STOP_ABOVE: u = fmax(s - b, 0.0); return 0.5 * a * u * u;
    case STOP_ABOVE_TABLE: return stop_potential(&t, s - a);
    case LINEAR: return 0.5 * a * s * s;
    case LINEAR_TABLE: return integral(&t, s);
    case CONSTANT: return -a * s;
    default: return 0.0;
    }
}

/* Adds df/ds and df/dsdot; of one side, where a law has a corner. */
void kt_law_slopes(const Law *law, const double *p, double s, double sdot, double *along, double *rate) {
    double a = p[law->parameters[0]], b = law->count > 1 ? p[law->parameters[1]] : 0.0;
    Table t = table_of(law, p);
    switch (law->kind) {
    case SPRING: case LINEAR: *along -= a; break;
    case SPRING_TABLE: *along -= slope_of(&t, a - s); break;
    case STOP_BELOW: *along -= s < b ? a : 0.0; break;
    case STOP_BELOW_TABLE: *along -= s < a ? slope_of(&t, a - s) : 0.0; break;
    case STOP_ABOVE: *along -= s > b ? a : 0.0; break;
    case STOP_ABOVE_TABLE: *along -= s > a ? slope_of(&t, s - a) : 0.0; break;
    case LINEAR_TABLE: *along -= slope_of(&t, s); break;
    case DAMPER: *rate -= a; break;
    case DAMPER_TABLE: *rate -= slope_of(&t, sdot); break;
    default: break;
    }
}

static const char *parameter_name(const Model *m, int i) { return m->variable[m->parameter[i]].name; }

/* The stiffness (or damping) of a bushing with couplings must be positive semidefinite. */
static int check_bushing(kt_instance *instance, const Bushing *bushing, LawKind kind, const char *what) {
    const Model *m = &instance->model;
    const double *p = instance->parameters;
    double matrix[36] = {0}, largest = 0.0;
    int n = bushing->count;
    for (int k = 0; k < n; k++) {
        const Element *e = m->element + bushing->elements[k];
        for (int l = 0; l < e->laws; l++)
            if (e->law[l].kind == kind) matrix[k * n + k] += p[e->law[l].parameters[0]];
    }
    for (int c = 0; c < m->couplings; c++) {
        const Coupling *pair = m->coupling + c;
        int a = -1, b = -1;
        for (int k = 0; k < n; k++) {
            if (bushing->elements[k] == pair->a) a = k;
            if (bushing->elements[k] == pair->b) b = k;
        }
        if (a >= 0 && b >= 0) matrix[a * n + b] = matrix[b * n + a] = p[kind == LINEAR ? pair->stiffness : pair->damping];
    }
    for (int k = 0; k < n * n; k++) largest = fmax(largest, fabs(matrix[k]));
    double least = kt_smallest_eigenvalue(matrix, n);
    if (least < -1e-9 * largest)
        return kt_fail(instance, FAILED,
                       "the %s of '%s' is indefinite: with these values it gives energy away (smallest eigenvalue "
                       "%.4g); change the directions and their couplings together, before the step",
                       what, m->element[bushing->elements[0]].name, least);
    return OK;
}

static int check_table(kt_instance *instance, const Element *e, const Law *law) {
    if (law->kind != SPRING_TABLE && law->kind != STOP_BELOW_TABLE && law->kind != STOP_ABOVE_TABLE &&
        law->kind != LINEAR_TABLE && law->kind != DAMPER_TABLE)
        return OK;
    const Model *m = &instance->model;
    const double *p = instance->parameters;
    Table t = table_of(law, p);
    for (int i = 0; i + 1 < t.n; i++)
        if (!(p[t.x[i]] < p[t.x[i + 1]]))
            return kt_fail(instance, FAILED,
                           "parameter '%s' = %.9g must be above '%s' = %.9g: the x values of the table of '%s' must "
                           "ascend; set them together, before the step",
                           parameter_name(m, t.x[i + 1]), p[t.x[i + 1]], parameter_name(m, t.x[i]), p[t.x[i]], e->name);
    return OK;
}

/* Refuse parameters that no law can use. */
int kt_check_laws(kt_instance *instance) {
    const Model *m = &instance->model;
    for (int i = 0; i < m->parameters; i++)
        if (!isfinite(instance->parameters[i]))
            return kt_fail(instance, FAILED, "parameter '%s' is %g; set a finite number", parameter_name(m, i),
                           instance->parameters[i]);
    for (int i = 0; i < m->elements; i++)
        for (int l = 0; l < m->element[i].laws; l++)
            if (check_table(instance, m->element + i, m->element[i].law + l)) return FAILED;
    for (int i = 0; i < m->bushings; i++)
        if (check_bushing(instance, m->bushing + i, LINEAR, "stiffness") ||
            check_bushing(instance, m->bushing + i, DAMPER, "damping"))
            return FAILED;
    return OK;
}
