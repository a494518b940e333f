/* What small.h needs besides the tables: columns over one axis in powers, which saves the basis functions, and what is
 * added to each chunk of rows.  All of it is in memory of the instance. */
#include "internal.h"

#define MOST_POWERS 4096 /* spans times chunks that are also kept in powers */
#define NUMBERS 48       /* of a span and a chunk in powers: degree + 1 times eight */
#define STRAIGHT 1e-13   /* higher powers below this share of a chunk's values come from rounding */

/* to += a chunk of a block over one axis on a span, in powers of t. */
static void add_powers(const Grid *g, const Block *b, size_t span, size_t chunk, double *to) {
    const double *from = b->coefficients + (size_t)b->begin[MOTION] + chunk * KT_CHUNK;
    for (size_t e = 0; e < NUMBERS; e++)
        for (size_t d = 0; d < 6; d++)
            to[e] += g->powers[span * NUMBERS + e / KT_CHUNK * KT_CHUNK + d] * from[(span + d) * b->stride[0] + e % KT_CHUNK];
}

/* All rows of the motion of a model with one coordinate and one grid, (spans, chunks, degree + 1, 8); none if too many. */
static int make_line(kt_instance *k) {
    Model *m = &k->model;
    const Chart *c = m->chart;
    size_t spans = (size_t)(c->grid->count - 5), chunks = (size_t)c->end[MOTION] / KT_CHUNK;
    if (spans * chunks > MOST_POWERS) return OK;
    double *line = kt_take(k, spans * chunks * NUMBERS, sizeof *line);
    if (!line) return FAILED;
    for (const Block *b = c->block, *end = b + c->blocks; b < end; b++)
        for (size_t span = 0; span < spans; span++)
            for (size_t n = 0; n < (size_t)b->chunks[MOTION]; n++) {
                double *to = line + (span * chunks + (size_t)b->chunk[MOTION][n].row / KT_CHUNK) * NUMBERS;
                if (b->nb)
                    add_powers(c->grid, b, span, n, to);
                else
                    for (size_t e = 0; e < KT_CHUNK; e++) to[e] += b->coefficients[n * KT_CHUNK + e];
            }
    m->line = line;
    return OK;
}

/* Blocks over one axis in powers, (spans, chunks, degree + 1, 8), unless they are large; others need basis functions. */
static int blocks_in_powers(kt_instance *k) {
    const Chart *c = k->model.chart;
    for (int i = 0; i < c->blocks; i++) {
        Block *b = (Block *)c->block + i; /* ours, not yet in use */
        const Grid *g = c->grid + b->grid[0];
        size_t spans = b->nb == 1 ? (size_t)(g->count - 5) : 0, chunks = (size_t)b->chunks[MOTION];
        if (b->nb != 1 || g->degree != 5 || spans * chunks > MOST_POWERS) {
            for (int a = 0; a < b->nb; a++) ((Grid *)c->grid)[b->grid[a]].basis_needed = 1;
            continue;
        }
        double *powers = kt_take(k, spans * chunks * NUMBERS + 1, sizeof *powers);
        if (!powers) return FAILED;
        b->powers = powers;
        for (size_t span = 0; span < spans; span++)
            for (size_t n = 0; n < chunks; n++, powers += NUMBERS) add_powers(g, b, span, n, powers);
    }
    return OK;
}

/* Whether a chunk of a block over one axis is a straight line; then its constant and slope, (2, 8). */
static int straight(const Grid *g, const Block *b, size_t chunk, double *line) {
    size_t spans = (size_t)(g->count - 5), between = (size_t)b->chunks[MOTION] * NUMBERS;
    const double *first = b->powers + chunk * NUMBERS;
    double largest = 0.0, bent = 0.0;
    if (spans < 2) return 0;
    for (size_t e = 0; e < KT_CHUNK; e++) {
        double slope = (first[(spans - 1) * between + e] - first[e]) / (g->knots[4 + spans] - g->knots[5]);
        line[e] = first[e] - slope * g->knots[5];
        line[KT_CHUNK + e] = slope;
        for (size_t s = 0; s < spans; s++) {
            const double *p = first + s * between + e;
            largest = fmax(largest, fabs(p[0]));
            bent = fmax(bent, fabs(line[e] + slope * g->knots[5 + s] - p[0]));
            bent = fmax(bent, fabs(slope / g->per_length[s] - p[KT_CHUNK]));
            for (size_t k = 2; k < 6; k++) bent = fmax(bent, fabs(p[k * KT_CHUNK]));
        }
    }
    return bent <= STRAIGHT * largest;
}

/* The pieces that are added to chunk n of the rows; each block has it at most once. */
static int make_pieces(kt_instance *k, int n) {
    Model *m = &k->model;
    const Chart *c = m->chart;
    Piece *piece = kt_take(k, (size_t)c->blocks + 1, sizeof *piece);
    if (!piece) return FAILED;
    m->piece[n] = piece;
    for (const Block *b = c->block, *end = b + c->blocks; b < end; b++)
        for (int e = 0; b->nb > 0 && e < b->chunks[MOTION]; e++) {
            if (b->chunk[MOTION][e].row != n * KT_CHUNK) continue;
            if (b->nb == 1 && !b->powers) { /* too large for powers, or of another degree */
                m->plane = NULL;
                return OK;
            }
            piece->table = b->nb == 1 ? b->powers + e * NUMBERS : b->coefficients + b->begin[MOTION] + e * KT_CHUNK;
            piece->between = (size_t)b->chunks[MOTION] * NUMBERS;
            piece->kind = b->nb == 2 ? PLANE : POWERS;
            piece->axis = c->grid[b->grid[0]].axis;
            double *line = kt_take(k, 2 * KT_CHUNK, sizeof *line);
            if (!line) return FAILED;
            if (b->nb == 1 && straight(c->grid + b->grid[0], b, (size_t)e, line)) {
                piece->kind = LINE;
                piece->table = line;
            }
            for (int a = 0; a < b->nb; a++) {
                piece->grid[a] = b->grid[a];
                piece->stride[a] = b->stride[a];
            }
            piece++;
            m->pieces[n]++;
        }
    return OK;
}

/* Constants and pieces of a model with two coordinates and up to 16 rows. */
static int make_plane(kt_instance *k) {
    Model *m = &k->model;
    const Chart *c = m->chart;
    double *constants = kt_take(k, 2 * KT_CHUNK, sizeof *constants);
    if (!constants) return FAILED;
    for (const Block *b = c->block, *end = b + c->blocks; b < end; b++)
        for (int n = 0; b->nb == 0 && n < b->chunks[MOTION]; n++)
            memcpy(constants + b->chunk[MOTION][n].row, b->coefficients + n * KT_CHUNK, KT_CHUNK * sizeof *constants);
    m->plane = constants;
    return make_pieces(k, 0) || make_pieces(k, 1) ? FAILED : OK;
}

int kt_prepare_small(kt_instance *k) {
    Model *m = &k->model;
    const Chart *c = m->chart;
    m->small = m->ns == 0 && m->charts == 1 && !m->moving && !m->drives && !m->couplings && c->width == KT_CHUNK &&
               c->slopes == 0 && c->grids <= KT_MOST_GRIDS;
    for (int i = 0; i < c->grids; i++) m->small = m->small && (c->grid[i].degree == 5 || c->grid[i].degree == 3);
    if (!m->small) return OK;
    if (blocks_in_powers(k)) return FAILED;
    if (m->nz == 1 && c->grids == 1 && c->grid->degree == 5) return make_line(k);
    return m->nz == 2 && c->end[MOTION] <= 2 * KT_CHUNK ? make_plane(k) : OK;
}
