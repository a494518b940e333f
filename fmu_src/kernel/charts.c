/* The charts of a model in a model file: places of rows, grids, blocks of tables, borders; see kernel_plan.py. */
#include "stream.h"

/* The first of n rows that must lie before `end`; -1 where there are none. */
static int rows(Reader *r, int n, int end, const char *what) {
    int first = integer(r, -1, end, what);
    if (!r->fault && n > 0 && (first < 0 || first > end - n)) wrong(r, what);
    return first;
}

static void read_places(Reader *r, const Model *m, Chart *c) {
    int motion = c->end[STEADY], all = c->end[POSES], nz = m->nz, several = m->charts > 1;
    c->J = rows(r, nz * (nz + 1) / 2, motion, "the place of J");
    if (c->J != 0) wrong(r, "the place of J");
    for (int i = 0; i < 3; i++) c->S[i] = rows(r, 1, c->end[ACROSS], "the place of S");
    c->loads = rows(r, 0, motion, "the place of the loads");
    if (c->loads < nz * (nz + 1) / 2) wrong(r, "the place of the loads");
    c->s = rows(r, m->measures, motion, "the place of the measures");
    c->N = rows(r, m->moving ? 6 * nz : 0, motion, "the place of N");
    c->I = rows(r, m->moving ? 6 : 0, motion, "the place of I");
    c->c = rows(r, several ? nz : 0, all, "the place of the coordinates");
    c->G = rows(r, several ? nz * nz : 0, motion, "the place of G");
    MarkerRows *marker = take(r, (size_t)m->markers, sizeof *marker);
    for (int i = 0; i < m->markers && !r->fault; i++) {
        marker[i].r = rows(r, 3, c->end[SHOWN], "the place of a marker");
        marker[i].R = rows(r, 9, all, "the place of a rotation");
        marker[i].A = rows(r, 3 * nz, all, "the place of an angular Jacobian");
    }
    c->marker = marker;
    SOUND(r);
    if ((m->moving && (c->N < c->loads || c->I < c->loads)) || (several && c->G < c->loads)) wrong(r, "rows among those of J");
    for (int i = 0; i < m->ports; i++) { /* loads act on one piece of a slot */
        if (marker[m->port[i]].r < c->loads || marker[m->port[i]].r + 3 > c->s ||
            marker[m->port[i]].A + 3 * nz > c->end[MOMENTS])
            wrong(r, "the place of a port");
    }
    if (c->s < c->loads) wrong(r, "the place of the measures");
    for (int i = 0; i < 3; i++) {
        int along = c->S[i] >= c->loads && c->S[i] < c->s, across = c->S[i] >= motion;
        if (!along && (!across || m->moving || m->quasistatic)) wrong(r, "the place of S");
    }
    int borders = count(r, "the number of borders");
    int *first = take(r, (size_t)borders, sizeof *first);
    for (int i = 0; i < borders && !r->fault; i++) first[i] = rows(r, nz, all, "the place of a border");
    c->border_rows = first;
    c->borders = borders;
}

static int need_of(const Chart *c, int row) {
    int need = 0;
    while (need < POSES && row >= c->end[need]) need++;
    return need;
}

static void read_slopes(Reader *r, const Model *m, Chart *c) {
    c->slopes = count(r, "the number of slopes");
    Slope *slope = take(r, (size_t)c->slopes, sizeof *slope);
    for (int i = 0; i < c->slopes && !r->fault; i++) {
        slope[i].row = integer(r, 0, c->end[POSES] - 1, "the row of a slope");
        slope[i].i = integer(r, -1, m->ns - 1, "the factor of a slope");
        slope[i].j = integer(r, -1, m->ns - 1, "the factor of a slope");
        if (slope[i].i < 0 && slope[i].j >= 0) wrong(r, "the factor of a slope");
        slope[i].axis = integer(r, 0, m->nf - 1, "the axis of a slope");
        slope[i].slope = real(r, "a slope");
        slope[i].reference = real(r, "a slope");
        slope[i].need = need_of(c, slope[i].row);
    }
    c->slope = slope;
}

/* The basis functions of each span as polynomials of t = (x - start) / length, by the Cox-de Boor recursion. */
static void make_powers(const Chart *c, const Grid *g, double *powers) {
    int p = g->degree, w = c->width;
    for (int span = p; span < g->count; span++, powers += (p + 1) * w) {
        double start = g->knots[span], length = g->knots[span + 1] - start;
        double values[KT_MOST_DEGREE + 1][KT_MOST_DEGREE + 2] = {{1.0}};
        for (int q = 1; q <= p; q++) {
            double below[KT_MOST_DEGREE + 1][KT_MOST_DEGREE + 2];
            memcpy(below, values, sizeof below);
            memset(values, 0, sizeof values);
            for (int b = 0; b < q; b++) {
                double left = g->knots[span + 1 - q + b], right = g->knots[span + 1 + b], gap = right - left;
                for (int k = 0; k < q; k++) {
                    double part = below[b][k] / gap;
                    values[b][k] += (right - start) * part;
                    values[b][k + 1] -= length * part;
                    values[b + 1][k] += (start - left) * part;
                    values[b + 1][k + 1] += length * part;
                }
            }
        }
        for (int k = 0; k <= p; k++)
            for (int b = 0; b <= p; b++) powers[k * w + b] = values[b][k];
    }
}

static void read_grids(Reader *r, const Model *m, Chart *c) {
    c->grids = count(r, "the number of grids");
    Grid *grid = take(r, (size_t)c->grids, sizeof *grid);
    for (int i = 0; i < c->grids && !r->fault; i++) {
        Grid *g = grid + i;
        g->axis = integer(r, 0, m->nf - 1, "the axis of a grid");
        const int p = g->degree = integer(r, 1, c->degree, "the degree of a grid");
        SOUND(r);
        uint64_t words;
        if (r->left < 2) { wrong(r, "it ends too early"); return; }
        memcpy(&words, r->at + 8, 8);
        if (words < 2 * (uint64_t)p + 2 || words > r->payload_bytes / 8 || words > 1 << 24) {
            wrong(r, "the size of a grid");
            return;
        }
        g->count = (int)words - p - 1;
        g->knots = array(r, (size_t)words, "the place of a grid");
        SOUND(r);
        const Axis *axis = c->axis + g->axis;
        for (int k = 0; k <= g->count + p; k++)
            if (!isfinite(g->knots[k]) || (k && !(g->knots[k] >= g->knots[k - 1]))) wrong(r, "the knots of a grid");
        for (int k = p; k < g->count; k++)
            if (!(g->knots[k + 1] > g->knots[k])) wrong(r, "the knots of a grid");
        double slack = 1e-9 * (axis->upper - axis->lower);
        if (!(fabs(axis->lower - g->knots[p]) <= slack && fabs(axis->upper - g->knots[g->count]) <= slack))
            wrong(r, "the span of a grid");
        SOUND(r);
        double *powers = take(r, (size_t)(g->count - p) * (size_t)((p + 1) * c->width), sizeof *powers);
        SOUND(r);
        make_powers(c, g, powers);
        g->powers = powers;
        double *per_length = take(r, (size_t)(g->count - p), sizeof *per_length);
        SOUND(r);
        for (int k = p; k < g->count; k++) per_length[k - p] = 1.0 / (g->knots[k + 1] - g->knots[k]);
        g->per_length = per_length;
    }
    c->grid = grid;
}

/* The first chunks of the motion are those of J alone, the last ones those of steady measures. */
static void split_motion(const Chart *c, Block *b) {
    const Chunk *chunk = b->chunk[MOTION], *end = chunk + b->chunks[MOTION];
    int column = 0;
    for (int need = INERTIA; need <= STEADY; need++) {
        b->begin[need] = column;
        b->chunk[need] = chunk;
        for (; chunk < end && chunk->row < c->end[need]; chunk++)
            column += KT_CHUNK * (chunk->plain + chunk->linear + chunk->quadratic);
        b->chunks[need] = (int)(chunk - b->chunk[need]);
    }
}

static void read_chunks(Reader *r, const Model *m, const Chart *c, Block *b) {
    size_t column = 0;
    for (int need = MOTION; need < NEEDS && !r->fault; need += need == MOTION ? 2 : 1) { /* those of the file */
        int n = b->chunks[need] = count(r, "the number of chunks");
        Chunk *chunk = take(r, (size_t)n, sizeof *chunk);
        b->begin[need] = (int)column;
        for (int k = 0; k < n && !r->fault; k++) {
            chunk[k].row = integer(r, need == MOTION ? 0 : c->end[need - 1], c->end[need == MOTION ? STEADY : need] - KT_CHUNK,
                                   "the rows of a chunk");
            chunk[k].first = integer(r, 0, 1, "the kind of a chunk");
            chunk[k].plain = integer(r, 0, 1, "the cells of a chunk");
            chunk[k].linear = count(r, "the cells of a chunk");
            chunk[k].quadratic = count(r, "the cells of a chunk");
            if (chunk[k].row % KT_CHUNK || (k && chunk[k].row <= chunk[k - 1].row)) wrong(r, "the rows of a chunk");
            size_t cells = (size_t)(chunk[k].plain + chunk[k].linear + chunk[k].quadratic);
            if (cells < 1 || cells > (b->columns - column) / KT_CHUNK) wrong(r, "the cells of a chunk");
            int factors = chunk[k].linear + 2 * chunk[k].quadratic;
            unsigned char *factor = take(r, (size_t)factors, 1);
            for (int f = 0; f < factors && !r->fault; f++) {
                factor[f] = (unsigned char)integer(r, 0, m->ns - 1, "the factor of a cell");
                if (f && f < chunk[k].linear && factor[f] <= factor[f - 1]) wrong(r, "the factor of a cell");
            }
            for (int f = chunk[k].linear; f < factors && !r->fault; f += 2) { /* pairs, each once, in order */
                int ordered = f == chunk[k].linear || factor[f] > factor[f - 2] ||
                              (factor[f] == factor[f - 2] && factor[f + 1] > factor[f - 1]);
                if (factor[f + 1] < factor[f] || !ordered) wrong(r, "the factor of a cell");
            }
            chunk[k].factors = factor;
            column += cells * KT_CHUNK;
        }
        b->chunk[need] = chunk;
    }
    SOUND(r);
    split_motion(c, b);
}

static void read_blocks(Reader *r, Model *m, Chart *c) {
    c->blocks = count(r, "the number of blocks");
    Block *block = take(r, (size_t)c->blocks, sizeof *block);
    for (int i = 0; i < c->blocks && !r->fault; i++) {
        Block *b = block + i;
        b->nb = integer(r, 0, m->nf, "the axes of a block");
        for (int k = 0; k < b->nb && !r->fault; k++) {
            b->grid[k] = integer(r, 0, c->grids - 1, "the grid of a block");
            if (r->fault || k == 0) continue;
            const Grid *own = c->grid + b->grid[k], *last = c->grid + b->grid[k - 1];
            if (own->axis <= last->axis || own->degree != last->degree) wrong(r, "the grid of a block");
        }
        b->columns = (size_t)integer(r, 1, 1 << 24, "the columns of a block");
        SOUND(r);
        size_t words = b->columns, most = r->payload_bytes / 8;
        for (int k = b->nb - 1; k >= 0; k--) {
            b->stride[k] = words;
            size_t along = (size_t)c->grid[b->grid[k]].count;
            if (words > most / along) { wrong(r, "the size of a block"); return; }
            words *= along;
        }
        b->coefficients = array(r, words, "the place of a block");
        b->at = c->columns;
        c->columns += b->columns;
        read_chunks(r, m, c, b);
        for (int need = 0; need < NEEDS; need++)
            for (int k = 0; k < b->nb && b->chunks[need]; k++) ((Grid *)c->grid)[b->grid[k]].needs |= 1 << need; /* ours still */
    }
    c->block = block;
    if (c->columns > m->most_columns) m->most_columns = c->columns;
    if ((size_t)c->grids > m->most_grids) m->most_grids = (size_t)c->grids;
}

void kt_read_chart(Reader *r, Model *m, Chart *c) {
    for (int k = 0; k < m->nf && !r->fault; k++) {
        Axis *a = c->axis + k;
        a->name = text(r);
        a->unit = text(r);
        a->lower = real(r, "the range of an axis");
        a->upper = real(r, "the range of an axis");
        a->periodic = integer(r, 0, 1, "the kind of an axis");
        a->linear = integer(r, 0, 1, "the kind of an axis");
        if (!r->fault && !(a->lower < a->upper)) wrong(r, "the range of an axis");
    }
    c->degree = integer(r, 1, KT_MOST_DEGREE, "the degree of the splines");
    c->width = (c->degree + 1 + KT_CHUNK - 1) / KT_CHUNK * KT_CHUNK;
    for (int need = STEADY; need < NEEDS; need++) { /* those of the file */
        c->end[need] = integer(r, need == STEADY ? 0 : c->end[need - 1], 1 << 20, "the number of rows");
        if (c->end[need] % KT_CHUNK) wrong(r, "the number of rows");
    }
    if ((size_t)c->end[POSES] > m->most_rows) m->most_rows = (size_t)c->end[POSES];
    read_places(r, m, c);
    SOUND(r);
    c->end[INERTIA] = m->nz * (m->nz + 1) / 2 / KT_CHUNK * KT_CHUNK;
    c->end[MOTION] = m->ns && !m->moving ? padded(c->s + m->active) : c->end[STEADY]; /* nothing follows measures there */
    read_slopes(r, m, c);
    read_grids(r, m, c);
    if (r->fault) return;
    read_blocks(r, m, c);
    SOUND(r);
    if (kt_arrange(r->instance, c)) wrong(r, "there is not enough memory for it");
    if (integer(r, 0, c->borders, "the number of borders") != c->borders) wrong(r, "the number of borders");
    Border *border = take(r, (size_t)c->borders, sizeof *border);
    for (int i = 0; i < c->borders && !r->fault; i++) {
        border[i].axis = integer(r, 0, m->nf - 1, "the axis of a border");
        border[i].upper = integer(r, 0, 1, "the side of a border");
        border[i].chart = integer(r, 0, m->charts - 1, "the chart of a border");
        border[i].lap = integer(r, -(1 << 20), 1 << 20, "the lap of a border");
        border[i].at = real(r, "the place of a border");
        double *offset = take(r, (size_t)m->nf, sizeof *offset);
        for (int k = 0; k < m->nf && !r->fault; k++) offset[k] = real(r, "the offset of a border");
        border[i].offset = offset;
    }
    c->border = border;
}
