/* Reading the tables of a chart: basis functions, columns, rows.  See reading.py, bspline.py and arrangement.py.
 *
 * What was read last is kept: as long as only deflections change, columns need not be read again.
 */
#include "internal.h"

#define BORDER_ULPS 8.0

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
int kt_find_span(const Grid *g, double x, int hint) {
    if (x >= g->knots[hint] && x < g->knots[hint + 1]) return hint;
    int low = g->degree, high = g->count;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (x >= g->knots[middle]) low = middle; else high = middle;
    }
    return low;
}

/* Basis functions of the grids that `needs` (mask) take. */
static int find_basis(kt_instance *instance, const Chart *c, const double *z, int needs) {
    int w = c->width, status = OK;
    double inner[KT_MOST_AXES], beyond[KT_MOST_AXES];
    for (int k = 0; k < instance->model.nf && !status; k++) status = inside(instance, c->axis + k, z[k], inner + k, beyond + k);
    for (int i = 0; i < c->grids && !status; i++) {
        const Grid *g = c->grid + i;
        if (!(g->needs & needs)) continue;
        int p = g->degree;
        double x = inner[g->axis], excess = beyond[g->axis];
        int hint = instance->span[i] + p;
        int span = kt_find_span(g, x, hint < g->count ? hint : p);
        double per_length = g->per_length[span - p], t = (x - g->knots[span]) * per_length;
        double *values = instance->basis + (size_t)i * 2 * (size_t)w, *slopes = values + w;
        const double *powers = g->powers + (size_t)(span - p) * (size_t)((p + 1) * w);
        instance->hot->basis(powers, p, w, t, per_length, values, slopes);
        for (int b = 0; b <= p && excess != 0.0; b++) values[b] += slopes[b] * excess;
        instance->span[i] = span - p;
    }
    return status;
}

/* Reads one need of a block and adds it to the slots; columns are kept where deflections are quasi-static. */
static void read_block(kt_instance *instance, const Chart *c, const Block *b, int need, const double *d) {
    const Model *m = &instance->model;
    if (b->chunks[need] == 0) return;
    Reading r; /* not cleared, which would take longer than the rest of this */
    r.block = b;
    r.from = b->turned[need] ? b->turned[need] : b->coefficients + b->begin[need];
    r.d = d;
    r.V = instance->V;
    r.rows = m->most_rows;
    r.keep = m->quasistatic ? instance->column + b->at + b->begin[need] : NULL;
    r.keep_stride = m->most_columns;
    r.degree = b->nb ? c->grid[b->grid[0]].degree : 0;
    r.nf = m->nf;
    r.ns = m->ns;
    r.kept = instance->columns_read >> need & 1;
    for (int k = 0; k < b->nb; k++) {
        int g = b->grid[k];
        r.axis[k] = c->grid[g].axis;
        r.N[k] = instance->basis + (size_t)g * 2 * (size_t)c->width;
        r.D[k] = r.N[k] + c->width;
        r.from += (size_t)instance->span[g] * b->stride[k];
    }
    (sloped(m, need) ? instance->hot->read_all : instance->hot->read_values)(&r, b->chunk[need], b->chunks[need]);
}

static void add_slopes(kt_instance *instance, const Chart *c, int need, const double *z) {
    int nf = instance->model.nf, nz = instance->model.nz;
    const double *d = z + nf;
    for (int i = 0; i < c->slopes; i++)
        for (int k = 0; c->slope[i].need == need && c->slope[i].clear && k <= nz; k++)
            slot(instance, k)[c->slope[i].row] = 0.0;
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
    if (moved) instance->columns_read = instance->bases_read = 0;
    if (moved || bent) instance->rows_read = 0;
    int missing = needs & ~instance->rows_read;
    if (!missing) return OK;
    if (instance->read_chart != chart) /* rows that this chart does not have are zero */
        memset(instance->V, 0, (size_t)(1 + m->nz) * m->most_rows * sizeof *instance->V);
    if (missing & ~instance->bases_read) {
        instance->read_chart = -1;
        int status = find_basis(instance, c, z, missing & ~instance->bases_read);
        if (status) return status;
        instance->read_chart = chart;
        instance->bases_read |= missing;
    }
    memcpy(last, z, (size_t)m->nz * sizeof *last);
    for (int need = 0; need < NEEDS; need++) {
        if (!(missing >> need & 1)) continue;
        for (int b = 0; b < c->blocks; b++) read_block(instance, c, c->block + b, need, z + m->nf);
        if (c->slopes) add_slopes(instance, c, need, z);
    }
    if (m->quasistatic) instance->columns_read |= missing;
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

void kt_add_curvature(kt_instance *instance, double *K) {
    const double *load = instance->load;
    const Model *m = &instance->model;
    const Chart *c = m->chart + instance->read_chart;
    int from = c->loads, to = c->loads + m->loads_rows;
    for (int b = 0; b < c->blocks; b++) {
        const Block *block = c->block + b;
        const double *column = instance->column + block->at + block->begin[MOTION];
        int axis[KT_MOST_AXES];
        for (int k = 0; k < block->nb; k++) axis[k] = c->grid[block->grid[k]].axis;
        for (int n = 0; n < block->chunks[MOTION]; n++) {
            const Chunk *chunk = block->chunk[MOTION] + n;
            const unsigned char *f = chunk->factors;
            double on[KT_CHUNK], along[KT_MOST_AXES]; /* loads on the rows of the chunk */
            for (int l = 0; l < KT_CHUNK; l++)
                on[l] = chunk->row + l >= from && chunk->row + l < to ? load[chunk->row + l] : 0.0;
            column += KT_CHUNK * chunk->plain;
            for (int e = 0; e < chunk->linear + chunk->quadratic; e++, column += KT_CHUNK) {
                int i = *f++, j = e < chunk->linear ? -1 : *f++;
                for (int k = 0; k < block->nb; k++) along[k] = dot(on, column + (size_t)(1 + k) * m->most_columns, KT_CHUNK);
                bend(instance, i, j, axis, block->nb, dot(on, column, KT_CHUNK), along, K);
            }
        }
    }
    for (int i = 0; i < c->slopes; i++) {
        const Slope *s = c->slope + i;
        if (s->i < 0 || s->row < from || s->row >= to) continue;
        double along = load[s->row] * s->slope;
        bend(instance, s->i, s->j, &s->axis, 1, along * (instance->read_z[s->axis] - s->reference), &along, K);
    }
}
