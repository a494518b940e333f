/* A model with other values of its design parameters, see designs.py: polynomials of second order in them are added up once, in
 * the model itself, which is the instance's own; steps do not know of it. */
#include "kernel.h"

/* Where a number outside of the tables is; NULL if it is not there. */
static const double *number_at(const Model *m, int kind, int place, int part) {
    const Wheel *wheel = m->wheel + place;
    const Marker *marker = m->marker + place;
    const int count[KT_NUMBERS] = {1, m->elements, m->markers, m->markers, m->wheels, m->wheels, m->wheels, m->wheels};
    if (place >= count[kind]) return NULL;
    switch (kind) {
    case KT_MASS: return part ? NULL : &m->mass;
    case KT_LAW_DESIGN: return part < m->element[place].laws ? &m->element[place].law[part].design : NULL;
    case KT_SPIN: return part < 3 ? marker->spin + part : NULL;
    case KT_SPIN_DESIGN: return part < 3 ? marker->design + part : NULL;
    case KT_RADIUS: return part ? NULL : &wheel->radius;
    case KT_WHEEL_SPIN: return part < 3 ? wheel->spin + part : NULL;
    case KT_CENTRE: return part < 3 ? wheel->centre + part : NULL;
    default: return part < 3 * wheel->balls ? wheel->ball[part / 3].at + part % 3 : NULL;
    }
}

/* Numbers of a core for one change. */
static size_t core_of(const Block *b) { return (size_t)b->change_words / (size_t)b->changes; }

static void finish_changes(Reader *r, const Chart *c, Block *b) {
    size_t core = (size_t)b->changes * KT_CHUNK;
    if (b->change_bases && b->change_bases != b->nb) { kt_wrong(r, "the bases of changes"); return; }
    for (int a = 0; a < b->nb; a++) {
        const int count = c->grid[b->grid[a]].count;
        if (b->change_bases && b->change_basis[a].count != count) { kt_wrong(r, "the bases of changes"); return; }
        core *= (size_t)(b->change_bases ? b->change_basis[a].rank : count); /* not more than the block 2^24 times */
        if (core > (size_t)1 << 28) { kt_wrong(r, "the size of changes"); return; }
    }
    if (core != (size_t)b->change_words) { kt_wrong(r, "the size of changes"); return; }
    for (int i = 0; i < b->changes; i++) {
        const Change *own = b->change + i;
        if (own->cell >= b->columns / KT_CHUNK || (i && (own->cell < own[-1].cell || (own->cell == own[-1].cell && own->product <= own[-1].product))))
            kt_wrong(r, "the cell of a change");
    }
}

void kt_finish_designs(Reader *r, Model *m) {
    size_t most = 0;
    for (int i = 0; i < m->designs; i++)
        if (!(m->design[i].range > 0.0)) kt_wrong(r, "the range of a design parameter");
    for (int i = 0; i < m->design_numbers && !r->fault; i++) {
        DesignNumber *own = (DesignNumber *)m->design_number + i; /* ours still */
        own->at = (double *)number_at(m, own->kind, own->place, own->part);
        if (!own->at || *own->at != own->bare) kt_wrong(r, "the place of a number");
    }
    for (int chart = 0; chart < m->charts; chart++)
        for (int i = 0; i < m->chart[chart].blocks && !r->fault; i++) {
            Block *b = (Block *)m->chart[chart].block + i;
            if (!b->changes) {
                if (b->change_words || b->change_bases) kt_wrong(r, "the size of changes");
                continue;
            }
            finish_changes(r, m->chart + chart, b);
            if (r->fault) return;
            const size_t room = core_of(b) + kt_expanding(b->change_basis, b->change_bases);
            if (b->change_bases && room > most) most = room;
        }
    if (most) m->fold = kt_take(r, most, sizeof *m->fold);
}

/* One cell of a block, from its changes; how many these are. */
static int fold_cell(const Model *m, const Block *b, const Change *change, const Change *end, const double *products) {
    const size_t words = core_of(b), step = (size_t)b->changes * KT_CHUNK, columns = (size_t)b->columns;
    const size_t places = words / KT_CHUNK, column = (size_t)change->cell * KT_CHUNK;
    const double *core = b->change_core + (change - b->change) * KT_CHUNK;
    double *to = (double *)b->coefficients + column;
    int count = 1;
    while (change + count < end && change[count].cell == change->cell) count++;
    for (size_t i = 0; i < places; i++, core += step) {
        double sum[KT_CHUNK] = {0.0};
        for (int e = 0; e < count; e++)
            for (int l = 0; l < KT_CHUNK; l++) sum[l] += core[e * KT_CHUNK + l] * products[change[e].product];
        memcpy(b->change_bases ? m->fold + i * KT_CHUNK : to + i * columns, sum, sizeof sum);
    }
    if (b->change_bases) kt_expand(b->change_basis, b->change_bases, m->fold, KT_CHUNK, to, columns, m->fold + words);
    for (size_t i = 0; i < b->places; i++)
        for (int l = 0; l < KT_CHUNK; l++) to[i * columns + (size_t)l] += b->bare[i * columns + column + (size_t)l];
    return count;
}

void kt_fold(const Model *m, const double *p) {
    double products[KT_PRODUCTS(KT_MOST_DESIGNS)];
    int n = m->designs;
    for (int i = 0; i < m->designs; i++) products[i] = p[i] / m->design[i].range;
    for (int i = 0; i < m->designs; i++)
        for (int j = i; j < m->designs; j++) products[n++] = products[i] * products[j];
    for (int i = 0; i < m->design_numbers; i++) {
        double sum = 0.0;
        for (int e = 0; e < n; e++) sum += m->design_number[i].change[e] * products[e];
        *m->design_number[i].at = m->design_number[i].bare + sum;
    }
    for (int chart = 0; chart < m->charts; chart++)
        for (int i = 0; i < m->chart[chart].blocks; i++) {
            const Chart *c = m->chart + chart;
            const Block *b = c->block + i;
            const Change *end = b->change + b->changes;
            for (const Change *at = b->change; at < end;) at += fold_cell(m, b, at, end, products);
            if (b->changes && b->powers) kt_to_powers(c->grid + b->grid[0], b, (double *)b->powers);
        }
}
