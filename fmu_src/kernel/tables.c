/* Reading the tables of a chart: basis functions, columns, rows.  See reading.py, bspline.py and arrangement.py.
 *
 * What was read last is kept: as long as only deflections change, columns need not be read again.
 */
#include "internal.h"

#define BORDER_ULPS 8.0
#define COLUMNS_AT_ONCE 256 /* of a block over several axes: their sums stay in the fastest memory */

/* The coordinate inside the table and how far it is outside. */
static int inside(kt_instance *instance, const Axis *a, double x, double *at, double *excess) {
    *at = x;
    *excess = 0.0;
    if (x >= a->lower && x <= a->upper) return OK;
    if (!isfinite(x))
        return kt_fail(instance, OUT_OF_TABLE,
                       "coordinate '%s' is %g, not a number: the motion diverged or a start value is wrong; reduce the "
                       "step or check the forces",
                       a->name, x);
    double length = a->upper - a->lower;
    if (a->periodic) {
        double turn = fmod(x - a->lower, length);
        *at = fmin(a->lower + (turn < 0.0 ? turn + length : turn), a->upper);
        return OK;
    }
    *at = x < a->lower ? a->lower : a->upper;
    *excess = x - *at;
    if (a->linear) return OK;
    double scale = fmax(fmax(fabs(a->lower), fabs(a->upper)), length);
    if (fabs(*excess) > BORDER_ULPS * 2.220446049250313e-16 * scale)
        return kt_fail(instance, OUT_OF_TABLE,
                       "coordinate '%s' = %.9g %s is outside its table [%.9g, %.9g] %s; bake with a wider range, or "
                       "with outside = \"linear\" for this coordinate, or add a stop that keeps it inside",
                       a->name, x, a->unit, a->lower, a->upper, a->unit);
    *excess = 0.0;
    return OK;
}

/* Index i with knots[i] <= x < knots[i + 1], from the span found last. */
static int find_span(const Grid *g, int degree, double x, int hint) {
    if (x >= g->knots[hint] && x < g->knots[hint + 1]) return hint;
    int low = degree, high = g->count;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (x >= g->knots[middle]) low = middle; else high = middle;
    }
    return low;
}

static int find_basis(kt_instance *instance, const Chart *c, const double *z) {
    int p = c->degree, w = c->width;
    for (int i = 0; i < c->grids; i++) {
        const Grid *g = c->grid + i;
        double x, excess;
        int status = inside(instance, c->axis + g->axis, z[g->axis], &x, &excess);
        if (status) return status;
        int hint = instance->span[i] + p;
        int span = find_span(g, p, x, hint < g->count ? hint : p);
        double length = g->knots[span + 1] - g->knots[span], t = (x - g->knots[span]) / length;
        double *values = instance->basis + (size_t)i * 2 * (size_t)w, *slopes = values + w;
        const double *powers = g->powers + (size_t)(span - p) * (size_t)((p + 1) * w);
        for (int b = 0; b < w; b += KT_CHUNK) {
            double v[KT_CHUNK], s[KT_CHUNK] = {0};
            for (int l = 0; l < KT_CHUNK; l++) v[l] = powers[p * w + b + l];
            for (int k = p - 1; k >= 0; k--)
                for (int l = 0; l < KT_CHUNK; l++) {
                    s[l] = s[l] * t + v[l];
                    v[l] = v[l] * t + powers[k * w + b + l];
                }
            for (int l = 0; l < KT_CHUNK; l++) {
                slopes[b + l] = s[l] / length;
                values[b + l] = v[l] + slopes[b + l] * excess;
            }
        }
        instance->span[i] = span - p;
    }
    return OK;
}

#define SUM6(N) (N[0] * c0[k] + N[1] * c1[k] + N[2] * c2[k] + N[3] * c3[k] + N[4] * c4[k] + N[5] * c5[k])
#define SIX(c, stride) \
    const double *c0 = (c), *c1 = c0 + (stride), *c2 = c1 + (stride), *c3 = c2 + (stride), *c4 = c3 + (stride), \
                 *c5 = c4 + (stride)

/* Values and slopes along the last axis, from the degree + 1 coefficients along it; for degree 5 in one go. */
static void along_last(const double *restrict c, size_t stride, const double *N, const double *D, int p, int n,
                       double *restrict value, double *restrict slope) {
    if (p == 5) {
        SIX(c, stride);
        if (slope)
            for (int k = 0; k < n; k++) {
                value[k] = SUM6(N);
                slope[k] = SUM6(D);
            }
        else
            for (int k = 0; k < n; k++) value[k] = SUM6(N);
        return;
    }
    for (int k = 0; k < n; k++) {
        double v = 0.0, s = 0.0;
        for (int i = 0; i <= p; i++) {
            v += N[i] * c[(size_t)i * stride + (size_t)k];
            s += D[i] * c[(size_t)i * stride + (size_t)k];
        }
        value[k] = v;
        if (slope) slope[k] = s;
    }
}

/* The same for a block over two or three axes: sums over the leading ones of what `along_last` finds. */
static void several_axes(const double *c, const Block *b, const double *const *N, const double *const *D, int p, int n,
                         double *value, double *const *slope) {
    double v[COLUMNS_AT_ONCE], s[COLUMNS_AT_ONCE];
    int last = b->nb - 1, outer = b->nb == 3 ? p + 1 : 1;
    for (int a = 0; a < outer; a++)
        for (int e = 0; e <= p; e++) {
            const double *from = c + (b->nb == 3 ? (size_t)a * b->stride[0] : 0) + (size_t)e * b->stride[last - 1];
            double Na = b->nb == 3 ? N[0][a] : 1.0, Da = b->nb == 3 ? D[0][a] : 0.0;
            double weight = Na * N[last - 1][e], across = Na * D[last - 1][e], lead = Da * N[last - 1][e];
            along_last(from, b->stride[last], N[last], D[last], p, n, v, slope ? s : NULL);
            if (a == 0 && e == 0) {
                for (int k = 0; k < n; k++) value[k] = weight * v[k];
                if (!slope) continue;
                for (int k = 0; k < n; k++) slope[last][k] = weight * s[k];
                for (int k = 0; k < n; k++) slope[last - 1][k] = across * v[k];
                if (b->nb == 3)
                    for (int k = 0; k < n; k++) slope[0][k] = lead * v[k];
                continue;
            }
            for (int k = 0; k < n; k++) value[k] += weight * v[k];
            if (!slope) continue;
            for (int k = 0; k < n; k++) slope[last][k] += weight * s[k];
            for (int k = 0; k < n; k++) slope[last - 1][k] += across * v[k];
            if (b->nb == 3)
                for (int k = 0; k < n; k++) slope[0][k] += lead * v[k];
        }
}

static void read_columns(kt_instance *instance, const Chart *c, const Block *b, int need) {
    const Model *m = &instance->model;
    int n = b->end[need] - b->begin[need], w = c->width;
    double *value = instance->column + b->at + b->begin[need], *slope[KT_MOST_AXES];
    const double *N[KT_MOST_AXES], *D[KT_MOST_AXES], *from = b->coefficients + b->begin[need];
    if (n == 0) return;
    if (b->nb == 0) {
        memcpy(value, from, (size_t)n * sizeof *value);
        return;
    }
    for (int k = 0; k < b->nb; k++) {
        int g = b->grid[k];
        N[k] = instance->basis + (size_t)g * 2 * (size_t)w;
        D[k] = N[k] + w;
        from += (size_t)instance->span[g] * b->stride[k];
        slope[k] = value + (size_t)(1 + k) * m->most_columns;
    }
    int sloped = need == MOTION || need == SHOWN || (need == MOMENTS && m->quasistatic);
    if (b->nb == 1) {
        along_last(from, b->stride[0], N[0], D[0], c->degree, n, value, sloped ? slope[0] : NULL);
        return;
    }
    for (int k = 0; k < n; k += COLUMNS_AT_ONCE) {
        int some = n - k < COLUMNS_AT_ONCE ? n - k : COLUMNS_AT_ONCE;
        several_axes(from + k, b, N, D, c->degree, some, value + k, sloped ? slope : NULL);
        for (int a = 0; a < b->nb; a++) slope[a] += some;
    }
}

/* A piece of a slot becomes, or grows by, a factor times columns. */
static inline void put(double *restrict to, const double *restrict from, double factor, int n, int first) {
    if (first)
        for (int k = 0; k < n; k++) to[k] = factor * from[k];
    else
        for (int k = 0; k < n; k++) to[k] += factor * from[k];
}

static void add_runs(kt_instance *instance, const Chart *c, const Block *b, int need, const double *d) {
    const Model *m = &instance->model;
    int nf = m->nf, sloped = need == MOTION || need == SHOWN || (need == MOMENTS && m->quasistatic);
    for (int r = 0; r < b->runs[need]; r++) {
        const Run *run = b->run[need] + r;
        const double *column = instance->column + b->at + run->column;
        double di = run->i >= 0 ? d[run->i] : 1.0, dj = run->j >= 0 ? d[run->j] : 1.0;
        put(slot(instance, 0) + run->row, column, di * dj, run->count, run->first & FIRST_VALUE);
        if (!sloped) continue;
        for (int k = 0; k < b->nb; k++)
            put(slot(instance, 1 + c->grid[b->grid[k]].axis) + run->row, column + (size_t)(1 + k) * m->most_columns,
                di * dj, run->count, run->first & FIRST_AXIS << k);
        if (run->i >= 0)
            put(slot(instance, 1 + nf + run->i) + run->row, column, run->i == run->j ? 2.0 * dj : dj, run->count,
                run->first & FIRST_I);
        if (run->j >= 0 && run->j != run->i)
            put(slot(instance, 1 + nf + run->j) + run->row, column, di, run->count, run->first & FIRST_J);
    }
}

static void add_slopes(kt_instance *instance, const Chart *c, int need, const double *z) {
    int nf = instance->model.nf, nz = instance->model.nz;
    const double *d = z + nf;
    for (int i = 0; i < c->slopes; i++)
        for (int k = 0; c->slope[i].need == need && k <= nz; k++)
            if (c->slope[i].clear >> k & 1) slot(instance, k)[c->slope[i].row] = 0.0;
    for (int i = 0; i < c->slopes; i++) {
        const Slope *s = c->slope + i;
        if (s->need != need) continue;
        double value = s->slope * (z[s->axis] - s->reference);
        double di = s->i >= 0 ? d[s->i] : 1.0, dj = s->j >= 0 ? d[s->j] : 1.0;
        slot(instance, 0)[s->row] += value * di * dj;
        slot(instance, 1 + s->axis)[s->row] += s->slope * di * dj;
        if (s->i >= 0) slot(instance, 1 + nf + s->i)[s->row] += value * dj;
        if (s->j >= 0) slot(instance, 1 + nf + s->j)[s->row] += value * di;
    }
}

int kt_read(kt_instance *instance, int chart, const double *z, int needs) {
    const Model *m = &instance->model;
    const Chart *c = m->chart + chart;
    double *last = instance->read_z;
    int moved = instance->read_chart != chart, bent = 0;
    for (int k = 0; k < m->nf; k++) moved |= z[k] != last[k];
    for (int k = m->nf; k < m->nz; k++) bent |= z[k] != last[k];
    if (moved) instance->columns_read = 0;
    if (moved || bent) instance->rows_read = 0;
    int missing = needs & ~instance->rows_read;
    if (!missing) return OK;
    if (moved) {
        instance->read_chart = -1;
        int status = find_basis(instance, c, z);
        if (status) return status;
        instance->read_chart = chart;
    }
    memcpy(last, z, (size_t)m->nz * sizeof *last);
    for (int need = 0; need < NEEDS; need++) {
        if (!(missing >> need & 1)) continue;
        if (!(instance->columns_read >> need & 1))
            for (int b = 0; b < c->blocks; b++) read_columns(instance, c, c->block + b, need);
        for (int b = 0; b < c->blocks; b++) add_runs(instance, c, c->block + b, need, z + m->nf);
        if (c->slopes) add_slopes(instance, c, need, z);
    }
    instance->columns_read |= missing;
    instance->rows_read |= missing;
    return OK;
}

static double dot(const double *a, const double *b, int n) {
    double sum = 0.0;
    for (int k = 0; k < n; k++) sum += a[k] * b[k];
    return sum;
}

/* K -= load times the second derivatives of one piece of rows with the monomial i, j. */
static void bend(const kt_instance *instance, int i, int j, const int *axis, int axes, double value, const double *along,
                 double *K) {
    const Model *m = &instance->model;
    const double *d = instance->read_z + m->nf;
    int nf = m->nf, nz = m->nz;
    for (int k = 0; k < axes; k++) {
        K[i * nz + axis[k]] -= along[k] * (j >= 0 ? d[j] : 1.0);
        if (j >= 0) K[j * nz + axis[k]] -= along[k] * d[i];
    }
    if (j >= 0) {
        K[i * nz + nf + j] -= value;
        K[j * nz + nf + i] -= value;
    }
}

void kt_add_curvature(kt_instance *instance, const double *load, double *K) {
    const Model *m = &instance->model;
    const Chart *c = m->chart + instance->read_chart;
    int from = c->S, to = c->S + m->loads_rows;
    for (int b = 0; b < c->blocks; b++)
        for (int r = 0; r < c->block[b].runs[MOTION]; r++) {
            const Block *block = c->block + b;
            const Run *run = block->run[MOTION] + r;
            int first = run->row > from ? run->row : from, end = run->row + run->count < to ? run->row + run->count : to;
            if (run->i < 0 || first >= end) continue;
            const double *column = instance->column + block->at + run->column + (first - run->row);
            double along[KT_MOST_AXES];
            int axis[KT_MOST_AXES];
            for (int k = 0; k < block->nb; k++) {
                axis[k] = c->grid[block->grid[k]].axis;
                along[k] = dot(load + first - from, column + (size_t)(1 + k) * m->most_columns, end - first);
            }
            bend(instance, run->i, run->j, axis, block->nb, dot(load + first - from, column, end - first), along, K);
        }
    for (int i = 0; i < c->slopes; i++) {
        const Slope *s = c->slope + i;
        if (s->i < 0 || s->row < from || s->row >= to) continue;
        double along = load[s->row - from] * s->slope;
        bend(instance, s->i, s->j, &s->axis, 1, along * (instance->read_z[s->axis] - s->reference), &along, K);
    }
}
