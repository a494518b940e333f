/* The model in a model file: its frame is checked, then its stream read by the functions of fields.h; what these cannot know
 * is checked here, and what is found once is found. */
#include "kernel.h"

#define PRELUDE 80
#define ALIGNMENT 64
#define FAR_AWAY 0.01     /* of the range of an axis, see midpoint.py */
#define FAR_STIFF 0.5     /* of a radius */
#define MOST_VALUES (1 << 28) /* of devices */
#define MOST_POWERS 65536 /* spans times chunks that are kept in powers */

static int hex(char digit) { return digit <= '9' ? digit - '0' : digit - 'a' + 10; }

/* --- grids -------------------------------------------------------------------------------------------------------- */

/* The basis functions of each span as polynomials of t = (x - start) / length, by the Cox-de Boor recursion. */
static void make_powers(const Grid *g, double *powers) {
    const int p = g->degree;
    for (int span = p; span < g->count; span++, powers += (p + 1) * KT_WIDTH) {
        double start = g->knots[span], length = g->knots[span + 1] - start;
        double values[KT_MOST_DEGREE + 1][KT_MOST_DEGREE + 2] = {{1.0}};
        if (!(length > 0.0)) continue; /* knots may be multiple: nothing lies there */
        for (int q = 1; q <= p; q++) {
            double below[KT_MOST_DEGREE + 1][KT_MOST_DEGREE + 2];
            memcpy(below, values, sizeof below);
            memset(values, 0, sizeof values);
            for (int b = 0; b < q; b++) {
                double left = g->knots[span + 1 - q + b], right = g->knots[span + 1 + b], gap = right - left;
                for (int i = 0; i < q; i++) {
                    double part = below[b][i] / gap;
                    values[b][i] += (right - start) * part;
                    values[b][i + 1] -= length * part;
                    values[b + 1][i] += (start - left) * part;
                    values[b + 1][i + 1] += length * part;
                }
            }
        }
        for (int i = 0; i <= p; i++)
            for (int b = 0; b <= p; b++) powers[i * KT_WIDTH + b] = values[b][i];
    }
}

static void finish_grid(Reader *r, const Chart *c, Grid *g) {
    const Axis *axis = c->axis + g->axis;
    const int p = g->degree, spans = g->count - p;
    double slack = 1e-9 * (axis->upper - axis->lower);
    for (int i = 0; i <= g->count + p; i++)
        if (!isfinite(g->knots[i]) || (i && !(g->knots[i] >= g->knots[i - 1]))) kt_wrong(r, "the knots of a grid");
    for (int i = 0; i < g->count; i++) /* more equal ones than that leave a coefficient without a function */
        if (!(g->knots[i + p + 1] > g->knots[i])) kt_wrong(r, "the knots of a grid");
    if (!(fabs(axis->lower - g->knots[p]) <= slack && fabs(axis->upper - g->knots[g->count]) <= slack && axis->lower < axis->upper))
        kt_wrong(r, "the span of a grid");
    double *powers = kt_take(r, (size_t)spans * (size_t)((p + 1) * KT_WIDTH), sizeof *powers);
    double *per_length = kt_take(r, (size_t)spans, sizeof *per_length);
    if (r->fault) return;
    make_powers(g, powers);
    g->powers = powers;
    for (int i = 0; i < spans; i++) per_length[i] = 1.0 / (g->knots[p + i + 1] - g->knots[p + i]);
    g->per_length = per_length;
}

/* --- blocks ------------------------------------------------------------------------------------------------------- */

/* Sizes of a block, whose core has as many numbers as its bases are wide, or if there are none as the block itself. */
static void finish_block(Reader *r, const Chart *c, Block *b) {
    size_t words = (size_t)b->columns, core = words;
    if (b->bases && b->bases != b->nb) { kt_wrong(r, "the number of bases"); return; }
    for (int a = b->nb - 1; a >= 0 && !r->fault; a--) {
        if (b->grid[a] >= c->grids) { kt_wrong(r, "the grid of a block"); return; }
        const Grid *g = c->grid + b->grid[a];
        if (a && (g->axis <= c->grid[b->grid[a - 1]].axis || g->degree != c->grid[b->grid[a - 1]].degree))
            kt_wrong(r, "the grid of a block");
        if (b->bases && b->basis[a].count != g->count) kt_wrong(r, "the size of a basis");
        b->stride[a] = words;
        b->degree = g->degree;
        if (words > ((size_t)1 << 28) / (size_t)g->count) { kt_wrong(r, "the size of a block"); return; }
        words *= (size_t)g->count;
        core *= (size_t)(b->bases ? b->basis[a].rank : g->count); /* not more than words */
    }
    if (core != (size_t)b->words || b->columns % KT_CHUNK) kt_wrong(r, "the size of a block");
    b->places = words / (size_t)b->columns;
    b->coefficients = b->bases ? kt_take(r, words, sizeof *b->coefficients) : b->core;
}

/* The coefficients of a block from its core and bases, chunk after chunk, which stay near; see factors.py. */
static void expand_block(Reader *r, const Block *b) {
    const Reader before = *r;
    const size_t columns = (size_t)b->columns;
    double *memory = kt_take(r, kt_expanding(b->basis, b->bases), sizeof *memory);
    for (size_t chunk = 0; chunk < columns && !r->fault; chunk += KT_CHUNK)
        kt_expand(b->basis, b->bases, b->core + chunk, columns, (double *)b->coefficients + chunk, columns, memory); /* ours still */
    const size_t least = r->least;
    if (r->fault) return;
    *r = before; /* what was between is not needed any more, but was while it was read */
    r->least = least;
}

/* Where design parameters change a block: what it is without them, and room for what it is with them. */
static void keep_bare(Reader *r, Block *b) {
    const size_t words = b->places * (size_t)b->columns;
    b->bare = b->coefficients;
    double *own = kt_take(r, words, sizeof *own);
    if (r->fault) return;
    memcpy(own, b->bare, words * sizeof *own);
    b->coefficients = own;
}

/* Columns of a block over one axis in powers of t, which saves the basis functions; where nothing has deflections. */
static void block_in_powers(Reader *r, const Model *m, const Chart *c, Block *b) {
    if (b->nb != 1 || m->ns) return;
    const Grid *g = c->grid + b->grid[0];
    const size_t p = (size_t)g->degree, spans = (size_t)g->count - p, columns = (size_t)b->columns;
    if (spans * columns / KT_CHUNK > MOST_POWERS) return;
    double *powers = kt_take(r, spans * columns * (p + 1), sizeof *powers);
    if (r->fault) return;
    kt_to_powers(g, b, powers);
    b->powers = powers;
}

/* --- runs --------------------------------------------------------------------------------------------------------- */

/* How many products of so many deflections there are; as many as may be asked for, if more. */
static int products(int ns, int count) {
    long long found = 1;
    for (int i = 0; i < count; i++) found = found * (ns + i) / (i + 1);
    return found < KT_MOST_CELLS ? (int)found : KT_MOST_CELLS;
}

/* Factors of a cell ascend, and so do cells with as many; so each product comes once.  Whether all do. */
static int check_factors(Reader *r, const Model *m, const Part *p) {
    const int *f = p->factor;
    int all = 1;
    for (int count = 1; count <= KT_FACTORS; count++) {
        all &= p->times[count - 1] == 0 || p->times[count - 1] == products(m->ns, count);
        for (int cell = 0; cell < p->times[count - 1]; cell++, f += count) {
            int after = cell == 0, falls = 0; /* the cell before */
            for (int a = 0; a < count; a++) {
                if (!after) after = f[a] - f[a - count];
                falls |= a && f[a] < f[a - 1];
            }
            if (falls || after <= 0) kt_wrong(r, "the factor of a cell");
        }
    }
    return all;
}

static void finish_part(Reader *r, const Model *m, const Chart *c, const Run *run, Part *p) {
    if (p->block >= c->blocks) { kt_wrong(r, "the block of a part"); return; }
    Block *b = (Block *)c->block + p->block; /* ours still */
    int cells = p->plain;
    for (int i = 0; i < KT_FACTORS; i++) cells += p->times[i];
    size_t last = (size_t)p->offset + (size_t)(run->chunks - 1) * (size_t)p->step + (size_t)(cells * KT_CHUNK);
    if (cells < 1 || p->offset % KT_CHUNK || p->step % KT_CHUNK || last > (size_t)b->columns) kt_wrong(r, "the cells of a part");
    p->all = check_factors(r, m, p);
    if ((cells > p->plain || b->nb > 2) && b->nb > 1) b->weighed = 1;
}

static void finish_runs(Reader *r, const Model *m, Chart *c) {
    for (int i = 0; i < c->runs && !r->fault; i++) {
        Run *run = (Run *)c->run + i; /* ours still */
        const int begin = run->need ? c->end[run->need - 1] : 0, end = c->end[run->need];
        const int before = i ? run[-1].row + run[-1].chunks * KT_CHUNK : 0;
        if (run->row % KT_CHUNK || run->row < before || run->row < begin || run->row > end - run->chunks * KT_CHUNK)
            kt_wrong(r, "the rows of a chunk");
        for (int p = 0; p < run->parts && !r->fault; p++) finish_part(r, m, c, run, (Part *)run->part + p);
        for (int need = run->need; need < KT_NEEDS; need++) c->run_end[need] = i + 1;
    }
}

/* --- charts ------------------------------------------------------------------------------------------------------- */

/* Whether rows that equations, outputs or laws use lie where they are read. */
static void check_rows(Reader *r, const Model *m, const Chart *c) {
    const int nz = m->nf + m->ns, J = nz * (nz + 1) / 2, motion = c->end[KT_MOTION];
    for (int need = 0; need < KT_NEEDS; need++)
        if (c->end[need] % KT_CHUNK || (need && c->end[need] < c->end[need - 1])) kt_wrong(r, "the number of rows");
    if (J > motion || c->s < J) kt_wrong(r, "the place of the measures");
    for (int i = 0; i < 3; i++)
        if (c->S[i] < J || ((m->moving || m->tracks || m->quasistatic) && c->S[i] >= motion)) kt_wrong(r, "the place of S");
    if (m->moving && (c->N < J || c->I < J || c->N + 6 * nz > motion || c->I + 6 > motion)) kt_wrong(r, "the place of N");
    if (m->tracks && (c->N < J || c->I < J || c->N + 6 * nz > c->end[KT_SHOWN] || c->I + 6 > c->end[KT_SHOWN]))
        kt_wrong(r, "the place of N");
    if (m->charts > 1 && (c->G < J || c->G + nz * nz > motion)) kt_wrong(r, "the place of G");
    for (int i = 0; i < m->markers; i++) {
        const MarkerRows *rows = c->marker + i;
        if (rows->r + KT_POSITION_ROWS > c->end[KT_SHOWN] || rows->R + KT_ROTATION_ROWS > c->end[KT_REQUEST] ||
            rows->A + KT_TURNING_ROWS * nz > c->end[KT_REQUEST])
            kt_wrong(r, "the place of a marker");
    }
    for (int i = 0; i < m->ports; i++) {
        const MarkerRows *rows = c->marker + m->port[i];
        if (rows->r < J || rows->r + KT_POSITION_ROWS > motion || rows->A < c->end[KT_ACROSS] ||
            rows->A + KT_TURNING_ROWS * nz > c->end[KT_MOMENTS])
            kt_wrong(r, "the place of a port");
    }
    for (int i = 0; i < m->wheels; i++) {
        const MarkerRows *rows = c->marker + m->wheel[i].marker;
        if (rows->r < J || rows->r + KT_POSITION_ROWS > motion || rows->A < c->end[KT_ACROSS] || rows->R < c->end[KT_ACROSS] ||
            rows->A + KT_TURNING_ROWS * nz > c->end[KT_MOMENTS] || rows->R + KT_ROTATION_ROWS > c->end[KT_MOMENTS])
            kt_wrong(r, "the place of a wheel");
    }
    for (int i = 0; i < c->slopes; i++)
        if (c->slope[i].row >= c->end[KT_REQUEST]) kt_wrong(r, "the row of a slope");
    for (int i = 0; i < c->borders; i++)
        if (c->border[i].row < c->end[KT_MOMENTS] || c->border[i].row + nz > c->end[KT_SHOWN]) kt_wrong(r, "the place of a border");
}

/* Spans of a grid that have a length: at a border of a cam some have none. */
static int cells_of(const Grid *g) {
    int n = 0;
    for (int i = g->degree; i < g->count; i++) n += g->knots[i + 1] > g->knots[i];
    return n;
}

/* Cells of the blocks of a run, where they are shorter than those found so far. */
static void find_cells(const Chart *c, const Run *run, double *cell) {
    for (int p = 0; p < run->parts; p++) {
        const Block *b = c->block + run->part[p].block;
        for (int i = 0; i < b->nb; i++) {
            const Grid *g = c->grid + b->grid[i];
            const Axis *a = c->axis + g->axis;
            cell[g->axis] = fmin(cell[g->axis], (a->upper - a->lower) / cells_of(g));
        }
    }
}

static void finish_chart(Reader *r, Model *m, Chart *c) {
    if (c->grids > KT_MOST_GRIDS || c->blocks > KT_MOST_BLOCKS) kt_wrong(r, "the number of grids or blocks");
    for (int i = 0; i < m->nf; i++) {
        if (!(c->axis[i].lower < c->axis[i].upper)) kt_wrong(r, "the range of an axis");
        m->leaving |= c->axis[i].linear;
        m->departing |= c->axis[i].linear && !c->axis[i].periodic;
    }
    const size_t nz = (size_t)(m->nf + m->ns);
    double *limits = kt_take(r, 4 * nz, sizeof *limits), *cell = limits + 3 * nz;
    if (r->fault) return;
    kt_find_limits(m, c, limits, limits + nz, limits + 2 * nz);
    c->least = limits;
    c->most = limits + nz;
    c->path = limits + 2 * nz;
    c->cell = cell;
    for (int i = 0; i < m->nf; i++) {
        cell[i] = c->axis[i].upper - c->axis[i].lower;
        if (!(c->axis[i].promise > 0.0)) kt_wrong(r, "a tolerance");
    }
    check_rows(r, m, c);
    for (int i = 0; i < c->grids && !r->fault; i++) finish_grid(r, c, (Grid *)c->grid + i);
    for (int i = 0; i < c->blocks && !r->fault; i++) finish_block(r, c, (Block *)c->block + i);
    finish_runs(r, m, c);
    for (int i = 0; i < c->runs && !r->fault; i++)
        if (c->run[i].need != KT_REQUEST) find_cells(c, c->run + i, cell);
    for (int i = 0; i < c->blocks && !r->fault; i++)
        if (c->block[i].bases) expand_block(r, c->block + i);
    for (int i = 0; i < c->blocks && !r->fault; i++)
        if (c->block[i].changes) keep_bare(r, (Block *)c->block + i);
    size_t weights = 0, columns = 0;
    for (int i = 0; i < c->blocks && !r->fault; i++) {
        Block *b = (Block *)c->block + i;
        size_t n = (size_t)(b->degree + 1);
        b->at = columns;
        columns += (size_t)b->columns;
        b->weights_at = weights;
        if (b->weighed) weights += (size_t)(1 + b->nb) * n * n * (b->nb == 3 ? n : 1);
        block_in_powers(r, m, c, b);
    }
    if (weights > m->weights) m->weights = weights;
    if (columns > m->most_columns) m->most_columns = columns;
    if (c->end[KT_REQUEST] > m->most_rows) m->most_rows = c->end[KT_REQUEST];
    m->has_slopes |= c->slopes > 0;
}

/* --- the rest ----------------------------------------------------------------------------------------------------- */

/* Whether a wheel has the part that is shown of it. */
static int part_of_wheel(const Model *m, const Output *out) {
    const Wheel *wheel = m->wheel + out->index;
    /* travels and what is held tell how the axes move; that a coordinate is held says so of axes where it is one */
    const int whole = m->wheels + m->kept_still == m->nf && (m->charts == 1 || !m->kept_still);
    int steers = 0;
    switch (out->operation) {
    case KT_WHEEL: return out->part < KT_WHEEL_NUMBERS;
    case KT_RATIO: return whole && out->part < m->elements;
    case KT_GEOMETRIC: return wheel->balls == 2 && out->part < KT_STEERING_NUMBERS;
    default:
        for (int i = 0; i < m->kept_still; i++) steers |= m->held[i] == wheel->steering;
        return whole && steers && out->part < KT_STEERING_NUMBERS;
    }
}

static int slots_of(const Device *d) { return d->active + kt_given(d) + d->formulas; }

static void check_outputs(Reader *r, const Model *m) {
    const int nz = m->nf + m->ns;
    const int count[KT_OPERATIONS] = {nz, nz, m->nf, m->drives, 1, 1, m->elements, 1, 3, m->markers, m->markers,
                                      m->moving ? 6 : 0, 3, 1, 1, m->elements, m->elements, m->markers, m->markers, 1,
                                      m->estimates ? 3 : 0, 1, m->wheels, m->wheels, m->wheels, m->wheels, m->devices,
                                      m->tracks ? 3 : 0, m->tracks ? m->markers : 0};
    for (int i = 0; i < m->variables - m->outputs_at; i++) {
        const Output *out = m->output + i;
        int rows = 0;
        if (out->index >= count[out->operation]) { kt_wrong(r, "the index of an output"); return; }
        if (out->operation == KT_ROW || out->operation == KT_ROW_RATE) rows = 1;
        if (out->operation == KT_TURNING) rows = nz;
        if (out->operation == KT_ANGLE || out->operation == KT_STEER || out->operation == KT_CAMBER ||
            out->operation == KT_STEER_ABSOLUTE || out->operation == KT_CAMBER_CHANGE)
            rows = KT_ROTATION_ROWS;
        const int of_wheel = out->operation >= KT_WHEEL && out->operation <= KT_SCREW;
        if ((of_wheel && !part_of_wheel(m, out)) || (out->operation == KT_CARRIED && out->part >= KT_CARRIED_NUMBERS) || (out->operation == KT_DEVICE && out->part >= slots_of(m->device + out->index))) {
            kt_wrong(r, "the part of an output");
            return;
        }
        if (out->operation == KT_LOAD) {
            if (out->part != m->load_rows && out->part != m->acceleration_rows) {
                kt_wrong(r, "the part of an output");
                return;
            }
            rows = out->part;
        }
        if (out->operation == KT_FREE || out->operation == KT_PRELOAD) {
            const Element *element = m->element + out->index;
            if (!element->laws || (out->operation == KT_FREE && element->law->preload < 0)) {
                kt_wrong(r, "the law of an output");
                return;
            }
        }
        for (int c = 0; c < m->charts && rows; c++)
            if (out->row[c] < 0 || out->row[c] > m->chart[c].end[KT_REQUEST] - rows) kt_wrong(r, "the row of an output");
    }
}

static void finish_laws(Reader *r, Model *m) {
    int laws = 0;
    for (int e = 0; e < m->elements; e++) laws += m->element[e].laws;
    struct Bend *bend = kt_take(r, (size_t)laws + 1, sizeof *bend);
    for (int e = 0; e < m->elements && !r->fault; e++)
        for (const Law *law = m->element[e].law, *end = law + m->element[e].laws; law < end; law++) {
            if (!kt_law_fits(law)) { kt_wrong(r, "the number of parameters of a law"); return; }
            if (kt_law_linear(law)) continue;
            bend[m->bends].measure = m->element[e].measure;
            bend[m->bends].lap = m->element[e].lap;
            bend[m->bends++].law = law;
            if (m->ns && m->element[e].measure >= m->varying) kt_wrong(r, "a measure that varies");
        }
    m->bend = bend;
    for (int i = 0; i < m->couplings && !r->fault; i++) {
        const int a = m->element[m->coupling[i].a].measure, b = m->element[m->coupling[i].b].measure;
        if ((a < m->varying) != (b < m->varying) || m->coupling[i].a == m->coupling[i].b) kt_wrong(r, "a coupling");
    }
    for (int i = 0; i < m->cardans && !r->fault; i++)
        for (int e = m->cardan[i]; e < m->cardan[i] + 6; e++)
            if (m->element[e].measure >= m->varying) kt_wrong(r, "a measure that varies");
}

/* --- devices ------------------------------------------------------------------------------------------------------ */

/* The names of unknowns, in one text. */
static const char *joined_names(Reader *r, const Device *d) {
    size_t length = 1;
    for (int i = 0; i < d->unknowns; i++) length += strlen(d->unknown[i].name) + 4;
    char *found = kt_take(r, length, 1), *at = found;
    for (int i = 0; i < d->unknowns && found; i++) {
        const size_t own = strlen(d->unknown[i].name);
        memcpy(at, i ? ", '" : "'", i ? 3 : 1);
        at += i ? 3 : 1;
        memcpy(at, d->unknown[i].name, own);
        at += own;
        *at++ = '\'';
    }
    return found;
}

static void check_device(Reader *r, const Device *d) {
    const int given = d->active + kt_given(d);
    for (int i = 0; i < d->curves; i++)
        for (int j = 1; j < d->curve[i].count; j++)
            if (!(d->curve[i].x[j - 1] < d->curve[i].x[j])) kt_wrong(r, "a table");
    for (int i = 0; i < d->formulas; i++)
        if (!kt_formula_fits(d->formula + i, d->constants, given + i, d->curves)) kt_wrong(r, "an instruction");
    for (int i = 0; i < d->unknowns; i++)
        if (!(d->unknown[i].nominal > 0.0)) kt_wrong(r, "a nominal value");
}

/* Where everything of a device lies among that of all. */
static void place_device(Model *m, Device *d, int *states, int *unknowns, int *curves) {
    d->first_connection = m->connections;
    d->first_state = *states;
    d->first_unknown = *unknowns;
    d->first_curve = *curves;
    d->width = 2 * d->connections + d->states;
    d->active = d->width + d->unknowns;
    d->stride = d->active + d->active % 2;
    d->flat = d->active + d->formulas + KT_MOST_DEPTH;
    d->pressing = d->flat + d->parameters + d->inputs;
    d->fixed = d->flat + kt_given(d);
    d->values = d->fixed + d->constants;
    d->at = m->device_values;
    d->slopes_at = m->device_slopes;
    m->connections += d->connections;
    m->pressing += d->loads;
    *states += d->states;
    *unknowns += d->unknowns;
    *curves += d->curves;
    m->device_values += d->values;
    m->device_slopes += (size_t)(d->connections + d->states) * (size_t)d->width;
    if (d->active > m->most_active) m->most_active = d->active;
    if ((d->flat + 1) * d->stride > m->most_rows_of_slopes) m->most_rows_of_slopes = (d->flat + 1) * d->stride;
}

/* The moves of all formulas, and the tables that they read. */
static void finish_moves(Reader *r, Model *m, size_t moves, int curves) {
    Move *move = kt_take(r, moves + 1, sizeof *move), *at = move;
    const Curve **curve = kt_take(r, (size_t)curves + 1, sizeof *curve);
    m->move = move;
    m->curve_of = curve;
    for (int i = 0; i < m->devices && !r->fault; i++) {
        Device *d = (Device *)m->device + i;
        d->ends = kt_take(r, (size_t)d->formulas + 1, sizeof *d->ends);
        d->names = joined_names(r, d);
        if (r->fault) return;
        at = kt_write_moves(d, move, at);
        for (int c = 0; c < d->curves; c++) curve[d->first_curve + c] = d->curve + c;
    }
    m->move_end = at;
}

/* Which values are those of measures, states and inputs. */
static void finish_ties(Reader *r, Model *m) {
    struct Tie *tie = kt_take(r, (size_t)m->connections + 1, sizeof *tie);
    struct Held *held = kt_take(r, (size_t)m->states + 1, sizeof *held);
    int *input = kt_take(r, (size_t)(m->inputs - m->device_inputs) + 1, sizeof *input);
    if (r->fault) return;
    m->tie = tie;
    m->held_at = held;
    m->input_at = input;
    for (const Device *d = m->device, *end = d + m->devices; d < end; d++) {
        const int formulas = d->at + d->active, n = d->connections;
        for (int i = 0; i < n; i++, tie++) {
            const Element *e = m->element + d->element[i];
            *tie = (struct Tie){e->measure, e->lap, d->at + i, d->at + n + i, d->force[i] < 0 ? 0 : formulas + d->force[i]};
            if (m->ns && e->measure >= m->varying) kt_wrong(r, "a measure that varies");
        }
        for (int i = 0; i < d->states; i++) *held++ = (struct Held){d->at + 2 * n + i, formulas + d->rate[i]};
        for (int i = 0; i < d->inputs; i++) *input++ = d->at + d->flat + d->parameters + i;
    }
}

static void finish_devices(Reader *r, Model *m) {
    int states = 0, unknowns = 0, curves = 0, inputs = 0;
    size_t moves = 0;
    m->device_values = 1;
    for (int i = 0; i < m->devices && !r->fault; i++) {
        Device *d = (Device *)m->device + i;
        if (d->connections > KT_MOST_ACTIVE / 2 || d->states > KT_MOST_ACTIVE || d->unknowns > KT_MOST_ACTIVE ||
            2 * d->connections + d->states + d->unknowns > KT_MOST_ACTIVE || m->device_values > MOST_VALUES) {
            kt_wrong(r, "the numbers of a device");
            return;
        }
        place_device(m, d, &states, &unknowns, &curves);
        check_device(r, d);
        inputs += d->inputs;
        for (int f = 0; f < d->formulas; f++) moves += (size_t)d->formula[f].count + 1;
    }
    if (r->fault) return;
    if (states != m->states || unknowns != m->unknowns || inputs != m->inputs - m->device_inputs) kt_wrong(r, "the states of devices");
    if (m->connections > KT_MOST_STATES) kt_wrong(r, "the measures of devices");
    finish_moves(r, m, moves, curves);
    finish_ties(r, m);
    if (m->pressing && (m->ns || m->tracks)) kt_wrong(r, "the loads of devices");
}

/* Loads that devices read are loads among the outputs. */
static void check_pressing(Reader *r, const Model *m) {
    for (const Device *d = m->device, *end = d + m->devices; d < end; d++)
        for (int i = 0; i < d->loads; i++) {
            const Output *out = m->output + (d->load[i] - m->outputs_at);
            if (out->operation != KT_LOAD || out->part != m->load_rows) kt_wrong(r, "a load of a device");
        }
}

static void finish_model(Reader *r, Model *m) {
    const int nz = m->nf + m->ns;
    double *far = kt_take(r, (size_t)nz, sizeof *far);
    if (r->fault) return;
    for (int i = 0; i < m->variables && !r->fault; i++) {
        int expected = i < m->first_input ? KT_PARAMETER : i < m->outputs_at ? KT_INPUT : KT_OUTPUT;
        if (m->variable[i].causality != expected) kt_wrong(r, "the causality of a variable");
    }
    if (strlen(m->guid) != 32 || strspn(m->tag, "0123456789abcdef") != 2 * KT_TAG) kt_wrong(r, "its identity");
    if (m->quasistatic && !m->ns) kt_wrong(r, "whether stiff coordinates are quasi-static");
    for (int i = 0; i < m->ns; i++)
        if (!(m->stiff[i].radius > 0.0 && m->stiff[i].promise > 0.0)) kt_wrong(r, "a radius");
    for (int i = 0; i < m->drives; i++) {
        if (i && m->drive[i].axis <= m->drive[i - 1].axis) kt_wrong(r, "the axis of a drive");
        if (m->drive[i].filter_time == 0.0 && m->drive[i].first + 3 > m->inputs) kt_wrong(r, "the inputs of a drive");
    }
    if (m->drives && m->charts > 1) kt_wrong(r, "drives with several charts");
    if (m->charts > 1 && m->ns) kt_wrong(r, "the number of charts");
    finish_laws(r, m);
    finish_devices(r, m);
    for (int i = 0; i < m->error_parts && !r->fault; i++) {
        const ErrorRows *rows = m->error_rows + i;
        if (!m->ns || kt_product_count(m->ns, rows->degree) != rows->products) kt_wrong(r, "the products of deflections");
        if (rows->products > m->most_products) m->most_products = rows->products;
    }
    m->departing |= m->ns > 0 || m->designs > 0;
    for (int i = 0; i < m->charts && !r->fault; i++) finish_chart(r, m, (Chart *)m->chart + i);
    if (!r->fault) kt_finish_designs(r, m);
    if (r->fault) return;
    m->acceleration_rows = nz + nz * (nz + 1) / 2;
    m->load_rows = m->acceleration_rows + 3 + m->measures + 6 * m->loaded + (m->moving ? 3 + 3 * nz + 6 : 0);
    check_outputs(r, m);
    check_pressing(r, m);
    for (int i = 0; i < nz; i++)
        far[i] = i < m->nf ? FAR_AWAY * (m->chart->axis[i].upper - m->chart->axis[i].lower) : FAR_STIFF * m->stiff[i - m->nf].radius;
    m->far = far;
    m->kept = m->couplings ? m->measures : m->varying;
    if (r->left) kt_wrong(r, "its end");
}

static uint64_t little(const unsigned char *at, int bytes) {
    uint64_t number = 0;
    for (int i = bytes - 1; i >= 0; i--) number = number << 8 | at[i];
    return number;
}

/* Sum of all words, each times an odd number of its own, and of their number: any change of one word shows. */
static uint64_t checksum(const unsigned char *at, size_t words) {
    uint64_t factor = 0x9E3779B97F4A7C15u, step = 2 * factor, sum = words * factor;
    for (size_t i = 0; i < words; i++, factor += step) {
        uint64_t bits;
        memcpy(&bits, at + 8 * i, 8);
        sum += bits * factor;
    }
    return sum;
}

static const Model *refuse(Fault *fault, const char *format, const char *text, double a, double b) {
    *fault = (Fault){.kind = FAILED, .format = format, .text = {text}, .number = {a, b}};
    return NULL;
}

#define CUT_SHORT "it is cut short; copy it again or bake the mechanism again"

const Model *kt_read_model(const void *bytes, size_t size, void *memory, size_t room, size_t *used, Fault *fault) {
    const unsigned char *blob = bytes;
    const uint16_t probe = 1;
    *used = room;
    if (*(const unsigned char *)&probe != 1)
        return refuse(fault, "this machine is big-endian, model files are little-endian", NULL, 0, 0);
    if ((uintptr_t)blob % 8) return refuse(fault, "its bytes are not aligned", NULL, 0, 0);
    if (size < PRELUDE || memcmp(blob, "KINETAB", 8) != 0)
        return refuse(fault, "it is not a model file; bake the mechanism again", NULL, 0, 0);
    uint64_t schema = little(blob + 8, 4), header = little(blob + 16, 8);
    if (schema != KT_SCHEMA)
        return refuse(fault, "it has schema %d, this version reads schema %d; bake the mechanism again", NULL, (double)schema,
                      KT_SCHEMA);
    if (header > size - PRELUDE) return refuse(fault, CUT_SHORT, NULL, 0, 0);
    size_t start = (PRELUDE + (size_t)header + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (start > size) return refuse(fault, CUT_SHORT, NULL, 0, 0);
    uint64_t plan = little(blob + 56, 8), words = little(blob + 64, 8);
    Reader r = {.payload = blob + start, .payload_bytes = size - start, .memory = memory, .room = room, .least = room};
    if (r.payload_bytes % 8 || checksum(r.payload, r.payload_bytes / 8) != little(blob + 72, 8))
        return refuse(fault, "it is damaged (its checksum does not fit its content); copy it again or bake the mechanism again",
                      NULL, 0, 0);
    if (plan % 8 || plan > r.payload_bytes || words > (r.payload_bytes - plan) / 8)
        return refuse(fault, "its plan is not inside it; bake the mechanism again", NULL, 0, 0);
    r.at = r.payload + plan;
    r.left = (size_t)words;
    Model *m = kt_take(&r, 1, sizeof *m);
    if (m) kt_read_Model(&r, m);
    if (m && !r.fault) finish_model(&r, m);
    *used = r.full ? 0 : room - r.least;
    if (r.fault) return refuse(fault, "its plan is wrong: %s; bake the mechanism again", r.fault, 0, 0);
    return m;
}

/* 16 bytes that mark saved states. */
void kt_tag_of(const Model *m, unsigned char *tag) {
    for (int i = 0; i < KT_TAG; i++) tag[i] = (unsigned char)(16 * hex(m->tag[2 * i]) + hex(m->tag[2 * i + 1]));
}
