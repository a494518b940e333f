/* How much the tables err where the mechanism is: (1) and (2) of remainder.py. */
#include "kernel.h"

/* Functions of one axis up to a number, at z. */
static void axis_functions(const Axis *a, double z, int most, double *value) {
    const double share = (z - a->lower) / (a->upper - a->lower);
    value[0] = 1.0;
    if (a->periodic) {
        const double turn = 6.283185307179586476925 * share;
        for (int n = 1; n <= most; n++) value[n] = n % 2 ? cos((n + 1) / 2 * turn) : sin(n / 2 * turn);
        return;
    }
    const double x = fmin(fmax(2.0 * share - 1.0, -1.0), 1.0);
    for (int n = 1; n <= most; n++) value[n] = n == 1 ? x : 2.0 * x * value[n - 1] - value[n - 2];
}

/* All products of so many deflections, in ascending order of their factors. */
static void all_products(const double *u, int ns, int degree, double *value) {
    int factor[KT_MOST_ERROR_DEGREE] = {0};
    double part[KT_MOST_ERROR_DEGREE + 1] = {1.0};
    for (int changed = 0, n = 0;; n++) {
        for (int i = changed; i < degree; i++) part[i + 1] = part[i] * u[factor[i]];
        value[n] = part[degree];
        for (changed = degree - 1; changed >= 0 && factor[changed] == ns - 1; changed--) {}
        if (changed < 0) return;
        const int next = factor[changed] + 1;
        for (int i = changed; i < degree; i++) factor[i] = next;
    }
}

/* How many there are; 0 if too many. */
int kt_product_count(int ns, int degree) {
    long long count = 1;
    for (int i = 1; i <= degree; i++) {
        count = count * (ns + i - 1) / i;
        if (count > 1 << 20) return 0;
    }
    return (int)count;
}

/* In sums that do not wait for one another. */
static double dot(const double *a, const double *b, int n) {
    double part[KT_CHUNK] = {0.0}, sum = 0.0;
    int i = 0;
    for (; i + KT_CHUNK <= n; i += KT_CHUNK)
        for (int l = 0; l < KT_CHUNK; l++) part[l] += a[i + l] * b[i + l];
    for (; i < n; i++) sum += a[i] * b[i];
    for (int l = 0; l < KT_CHUNK; l++) sum += part[l];
    return sum;
}

/* The estimate of one kind at coordinates z (nz) of a chart. */
double kt_table_error(Kernel *k, int chart, const double *z, int kind) {
    const Model *m = k->m;
    const Axis *axis = m->chart[chart].axis;
    double *P = k->error_functions, *u = P + m->functions, *products = u + m->ns, largest = 0.0, error = m->spline_error[kind];
    for (int b = 0; b < m->functions; b++) P[b] = 1.0;
    for (int a = 0; a < m->nf; a++) {
        double value[KT_MOST_FUNCTION + 1];
        axis_functions(axis + a, z[a], KT_MOST_FUNCTION, value);
        for (int b = 0; b < m->functions; b++) P[b] *= value[m->function[b * m->nf + a]];
    }
    for (int i = 0; i < m->ns; i++) {
        u[i] = (z[m->nf + i] - m->stiff[i].about) / m->stiff[i].radius;
        error += m->spline_slope[kind * m->ns + i] * fabs(u[i]);
    }
    for (const ErrorRows *rows = m->error_rows, *end = rows + m->error_parts; rows < end; rows++) {
        if (rows->kind != kind) continue;
        all_products(u, m->ns, rows->degree, products);
        const double *c = rows->coefficients;
        for (int r = 0; r < rows->count; r++) {
            double sum = 0.0;
            for (int b = 0; b < m->functions; b++, c += rows->products) {
                sum += P[b] * dot(c, products, rows->products);
            }
            largest = fmax(largest, fabs(sum));
        }
    }
    return largest + error;
}
