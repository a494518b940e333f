/* What is found once in the blocks of a chart, so that reading them takes less time. */
#include "internal.h"

/* Which chunks must clear slopes along deflections, since what comes later adds to them; all others stay zero.
 * The slope of a chunk that no block has must clear it first. */
static int find_clears(kt_instance *k, Chart *c) {
    Slope *slope = (Slope *)c->slope; /* ours, not yet in use */
    unsigned char *later = kt_take(k, (size_t)(c->end[POSES] / KT_CHUNK) + 1, 1);
    if (!later) return FAILED;
    for (int i = 0; i < c->slopes; i++) later[slope[i].row / KT_CHUNK] |= slope[i].i >= 0;
    for (int b = c->blocks - 1; b >= 0; b--)
        for (int need = 0; need < NEEDS; need++)
            for (int n = 0; n < c->block[b].chunks[need]; n++) {
                Chunk *chunk = (Chunk *)c->block[b].chunk[need] + n;
                chunk->clear = chunk->first && later[chunk->row / KT_CHUNK];
                later[chunk->row / KT_CHUNK] |= chunk->linear + chunk->quadratic > 0;
            }
    for (int i = 0; i < c->slopes; i++) {
        slope[i].clear = 1;
        for (int b = 0; b < c->blocks; b++)
            for (int n = 0; n < c->block[b].chunks[slope[i].need]; n++)
                if (c->block[b].chunk[slope[i].need][n].row == slope[i].row / KT_CHUNK * KT_CHUNK) slope[i].clear = 0;
    }
    return OK;
}

static void add_cell(double *to, const double *cell, double factor) {
    for (int l = 0; l < KT_CHUNK; l++) to[l] += factor * cell[l];
}

/* Cells without axes by the deflections along which they have slopes: for each, which it is, how many others multiply and
 * which these are; the cell with it alone, or zeros, and those with each of the others.  Where they go moves on. */
static void turn_chunk(Chunk *chunk, int ns, const double *cells, double **place, unsigned char **factors_place) {
    double *to = *place;
    unsigned char *factors = *factors_place;
    const double *alone[KT_MOST_Z] = {0}, *both[KT_MOST_Z][KT_MOST_Z] = {{0}};
    const unsigned char *f = chunk->factors;
    for (int e = 0; e < chunk->linear; e++, cells += KT_CHUNK) alone[*f++] = cells;
    for (int e = 0; e < chunk->quadratic; e++, cells += KT_CHUNK, f += 2) both[f[0]][f[1]] = both[f[1]][f[0]] = cells;
    chunk->turned = factors;
    for (int i = 0; i < ns; i++) {
        int others = 0;
        double *next = to + KT_CHUNK;
        for (int j = 0; j < ns; j++) {
            if (!both[i][j]) continue;
            add_cell(next, both[i][j], i == j ? 2.0 : 1.0);
            next += KT_CHUNK;
            factors[2 + others++] = (unsigned char)j;
        }
        if (!alone[i] && !others) continue;
        if (alone[i]) add_cell(to, alone[i], 1.0);
        factors[0] = (unsigned char)i;
        factors[1] = (unsigned char)others;
        factors += 2 + others;
        to = next;
        chunk->along++;
    }
    *place = to;
    *factors_place = factors;
}

/* As many cells as the above makes, and factors, at most. */
static size_t most_turned(const Chunk *chunk) { return (size_t)(chunk->linear + 4 * chunk->quadratic); }

static int turn_constants(kt_instance *k, Chart *c) {
    int ns = k->model.ns;
    for (Block *b = (Block *)c->block, *end = b + c->blocks; b < end; b++) /* ours, not yet in use */
        for (int need = 0; b->nb == 0 && need < NEEDS; need++) {
            if (!sloped(&k->model, need)) continue;
            size_t cells = 0, factors = 0;
            for (int n = 0; n < b->chunks[need]; n++) {
                const Chunk *chunk = b->chunk[need] + n;
                cells += (size_t)chunk->plain + most_turned(chunk);
                factors += 3 * most_turned(chunk);
            }
            double *to = kt_take(k, cells * KT_CHUNK + 1, sizeof *to);
            unsigned char *factor = kt_take(k, factors + 1, 1);
            if (!to || !factor) return FAILED;
            const double *from = b->coefficients + b->begin[need];
            b->turned[need] = to;
            for (int n = 0; n < b->chunks[need]; n++) {
                Chunk *chunk = (Chunk *)b->chunk[need] + n;
                if (chunk->plain) add_cell(to, from, 1.0);
                to += KT_CHUNK * chunk->plain;
                from += KT_CHUNK * chunk->plain;
                turn_chunk(chunk, ns, from, &to, &factor);
                from += KT_CHUNK * (chunk->linear + chunk->quadratic);
            }
        }
    return OK;
}

/* Whether all chunks of J are in the block, with these cells alone. */
static int holds_inertia(const Chart *c, const Block *b, int plain, int linear) {
    if (b->chunks[INERTIA] * KT_CHUNK != c->end[INERTIA]) return 0;
    for (const Chunk *chunk = b->chunk[INERTIA], *end = chunk + b->chunks[INERTIA]; chunk < end; chunk++)
        if (chunk->plain != plain || chunk->linear != linear || chunk->quadratic) return 0;
    return 1;
}

/* Whether J is over one axis in two blocks, without deflections and with each of them, so that force_12 may read it. */
static void find_inertia(const Model *m, Chart *c) {
    const Block *rest = NULL, *each = NULL;
    for (const Block *b = c->block, *end = b + c->blocks; b < end; b++) {
        if (b->chunks[INERTIA] == 0) continue;
        int degree = b->nb == 1 ? c->grid[b->grid[0]].degree : 0;
        if (!rest && degree && holds_inertia(c, b, 1, 0)) rest = b;
        else if (!each && (degree == 1 || degree == 3) && holds_inertia(c, b, 0, m->ns)) each = b;
        else return;
    }
    for (int i = 0; i < c->slopes; i++)
        if (c->slope[i].need == INERTIA) return;
    if (m->nf > 1 || !rest || !each) return;
    c->rest = rest;
    c->each = each;
    Grid *grid = (Grid *)c->grid; /* ours, not yet in use; basis functions must be there whenever the motion is read */
    grid[rest->grid[0]].needs |= 1 << MOTION;
    grid[each->grid[0]].needs |= 1 << MOTION;
}

int kt_arrange(kt_instance *k, Chart *c) {
    if (find_clears(k, c)) return FAILED;
    if (!k->model.quasistatic && turn_constants(k, c)) return FAILED;
    find_inertia(&k->model, c);
    return OK;
}
