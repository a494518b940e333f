/* The model in a model file: a stream of 8-byte words, written by kernel_plan.py and read here in the same order.
 *
 * Nothing in the file is trusted: every number that is used as a size or an index is checked before it is used.  The
 * stream is read to its end even after a fault, but a fault makes every later number zero.
 */
#include "internal.h"

#define PRELUDE 80
#define ALIGNMENT 64

typedef struct {
    kt_instance *instance;
    const unsigned char *payload, *at;
    size_t payload_bytes, left; /* words of the stream */
    const char *fault;
} Reader;

static int64_t wrong(Reader *r, const char *what) {
    if (!r->fault) r->fault = what;
    return 0;
}

static uint64_t word(Reader *r) {
    uint64_t bits = 0;
    if (r->fault || r->left == 0) return (uint64_t)wrong(r, "it ends too early");
    memcpy(&bits, r->at, 8);
    r->at += 8;
    r->left--;
    return bits;
}

static int integer(Reader *r, int64_t least, int64_t most, const char *what) {
    int64_t number = (int64_t)word(r);
    if (r->fault) return 0;
    if (number < least || number > most) return (int)wrong(r, what);
    return (int)number;
}

/* A number of things, each of which takes at least one word of the stream. */
static int count(Reader *r, const char *what) { return integer(r, 0, r->left < 1 << 24 ? (int64_t)r->left : 1 << 24, what); }

static double number(Reader *r) {
    uint64_t bits = word(r);
    double value;
    memcpy(&value, &bits, 8);
    return value;
}

static double real(Reader *r, const char *what) {
    double value = number(r);
    return isfinite(value) ? value : (double)wrong(r, what);
}

static const char *text(Reader *r) {
    int64_t length = (int64_t)word(r);
    if (r->fault) return "";
    if (length < 0 || (uint64_t)length / 8 >= r->left || r->at[length] != 0) {
        wrong(r, "a text does not end");
        return "";
    }
    const char *found = (const char *)r->at;
    size_t words = (size_t)length / 8 + 1;
    r->at += 8 * words;
    r->left -= words;
    return found;
}

static const double *array(Reader *r, size_t expected, const char *what) {
    uint64_t offset = word(r), words = word(r);
    if (r->fault) return NULL;
    if (words != expected || offset % 8 || offset > r->payload_bytes || words > (r->payload_bytes - offset) / 8) {
        wrong(r, what);
        return NULL;
    }
    return (const double *)(const void *)(r->payload + offset);
}

static void *take(Reader *r, size_t n, size_t size) {
    void *memory = r->fault ? NULL : kt_take(r->instance, n ? n : 1, size);
    if (!memory) wrong(r, "there is not enough memory for it");
    return memory;
}

/* Returns from the caller after a fault. */
#define SOUND(r) do { if ((r)->fault) return; } while (0)

static const int *indices(Reader *r, int n, int limit, const char *what) {
    int *found = take(r, (size_t)n, sizeof *found);
    for (int i = 0; i < n && !r->fault; i++) found[i] = integer(r, 0, limit - 1, what);
    return found;
}

static void read_variables(Reader *r, Model *m) {
    m->variables = count(r, "the number of variables");
    Variable *v = take(r, (size_t)m->variables, sizeof *v);
    for (int i = 0; i < m->variables && !r->fault; i++) {
        v[i].causality = integer(r, PARAMETER, OUTPUT, "a causality");
        v[i].fixed = integer(r, 0, 1, "a variability");
        v[i].start = real(r, "a start value");
        v[i].lower = number(r);
        v[i].upper = number(r);
        v[i].name = text(r);
        v[i].unit = text(r);
    }
    m->variable = v;
}

static void read_layout(Reader *r, Model *m) {
    m->first_input = integer(r, 1, m->variables, "the place of the inputs");
    m->inputs_at = integer(r, m->first_input, m->variables, "the place of the inputs");
    m->outputs_at = integer(r, m->inputs_at, m->variables, "the place of the outputs");
    for (int i = 0; i < m->variables && !r->fault; i++) {
        int expected = i < m->first_input ? PARAMETER : i < m->outputs_at ? INPUT : OUTPUT;
        if (m->variable[i].causality != expected) wrong(r, "the causality of a variable");
    }
    m->starts = count(r, "the number of start values");
    Start *start = take(r, (size_t)m->starts, sizeof *start);
    for (int i = 0; i < m->starts && !r->fault; i++) {
        start[i].place = integer(r, 0, 2 * m->nz - 1, "the place of a start value");
        start[i].reference = integer(r, 0, m->outputs_at - 1, "the variable of a start value");
    }
    m->start = start;
    double *numbers = take(r, 2 * (size_t)m->nz, sizeof *numbers);
    for (int i = 0; i < 2 * m->nz && !r->fault; i++) numbers[i] = real(r, "a start value");
    m->start_numbers = numbers;
    m->parameters = count(r, "the number of parameters");
    m->parameter = indices(r, m->parameters, m->outputs_at, "a parameter");
    for (int i = 0; i < 3; i++) m->gravity[i] = integer(r, 0, m->parameters - 1, "gravity");
    double *lap = take(r, (size_t)m->nf, sizeof *lap);
    for (int i = 0; i < m->nf && !r->fault; i++) lap[i] = real(r, "the lap of a coordinate");
    m->lap = lap;
    Stiff *stiff = take(r, (size_t)m->ns, sizeof *stiff);
    for (int i = 0; i < m->ns && !r->fault; i++) {
        stiff[i].radius = real(r, "a radius");
        if (!(stiff[i].radius > 0.0)) wrong(r, "a radius");
        stiff[i].name = text(r);
        stiff[i].unit = text(r);
    }
    m->stiff = stiff;
}

static void read_inputs(Reader *r, Model *m) {
    m->inputs = integer(r, 0, m->outputs_at - m->inputs_at, "the number of inputs");
    if (m->inputs != m->outputs_at - m->inputs_at) wrong(r, "the number of inputs");
    m->forced = integer(r, 0, m->nf < m->inputs ? m->nf : m->inputs, "the number of generalized forces");
    m->forced_axis = indices(r, m->forced, m->nf, "a generalized force");
    m->drives = integer(r, 0, m->nf, "the number of drives");
    Drive *drive = take(r, (size_t)m->drives, sizeof *drive);
    for (int i = 0; i < m->drives && !r->fault; i++) {
        drive[i].axis = integer(r, i ? drive[i - 1].axis + 1 : 0, m->nf - 1, "the axis of a drive");
        drive[i].first = integer(r, 0, m->inputs - 1, "the inputs of a drive");
        drive[i].filter_time = real(r, "the filter of a drive");
        if (drive[i].filter_time == 0.0 && drive[i].first + 3 > m->inputs) wrong(r, "the inputs of a drive");
    }
    m->drive = drive;
    int room = m->inputs - (m->moving ? 6 : 0);
    m->twist = integer(r, 0, room, "the place of the twist");
    m->twist_rate = integer(r, 0, room, "the place of the twist's rate");
    m->loads = integer(r, 0, m->inputs, "the place of the loads");
}

static void read_law(Reader *r, const Model *m, Law *law) {
    static const struct { int lead, table; } form[LAW_KINDS] = {{2, 0}, {1, 1}, {2, 0}, {1, 1}, {2, 0}, {1, 1},
                                                                {1, 0}, {0, 1}, {1, 0}, {1, 0}, {0, 1}};
    law->kind = (LawKind)integer(r, 0, LAW_KINDS - 1, "the kind of a law");
    law->count = count(r, "the number of parameters of a law");
    int rest = law->count - form[law->kind].lead;
    if (form[law->kind].table ? rest < 4 || rest % 2 : rest != 0) wrong(r, "the number of parameters of a law");
    law->parameters = indices(r, law->count, m->parameters, "a parameter of a law");
}

static void read_laws(Reader *r, Model *m) {
    m->elements = count(r, "the number of elements");
    m->measures = integer(r, 0, m->elements, "the number of measures");
    int bent = integer(r, 0, m->measures, "the number of bent measures");
    m->steady = integer(r, 0, m->measures - bent, "the number of steady measures");
    m->active = m->measures - m->steady;
    m->varying = m->active - bent;
    m->bent_inertia = integer(r, 0, 1, "whether the inertia is bent");
    Element *e = take(r, (size_t)m->elements, sizeof *e);
    for (int i = 0; i < m->elements && !r->fault; i++) {
        e[i].measure = integer(r, 0, m->measures - 1, "a measure");
        e[i].laws = count(r, "the number of laws");
        e[i].lap = real(r, "the lap of an element");
        e[i].name = text(r);
        Law *law = take(r, (size_t)e[i].laws, sizeof *law);
        for (int l = 0; l < e[i].laws && !r->fault; l++) read_law(r, m, law + l);
        e[i].law = law;
    }
    m->element = e;
    int *active = take(r, (size_t)m->elements, sizeof *active);
    for (int i = 0; i < m->elements && !r->fault; i++)
        if (e[i].measure < m->active) active[m->actives++] = i;
    m->active_element = active;
    int laws = 0;
    for (int i = 0; i < m->actives && !r->fault; i++) laws += e[active[i]].laws;
    struct Bend *bend = take(r, (size_t)laws, sizeof *bend);
    for (int i = 0; i < m->actives && !r->fault; i++)
        for (int l = 0; l < e[active[i]].laws; l++) {
            const Law *law = e[active[i]].law + l;
            if (law->kind == LINEAR || law->kind == SPRING || law->kind == CONSTANT || law->kind == DAMPER) continue;
            bend[m->bends].measure = e[active[i]].measure;
            bend[m->bends++].law = law;
        }
    m->bend = bend;
    m->couplings = count(r, "the number of couplings");
    Coupling *pair = take(r, (size_t)m->couplings, sizeof *pair);
    for (int i = 0; i < m->couplings && !r->fault; i++) {
        pair[i].a = integer(r, 0, m->elements - 1, "a coupling");
        pair[i].b = integer(r, 0, m->elements - 1, "a coupling");
        pair[i].stiffness = integer(r, 0, m->parameters - 1, "a coupling");
        pair[i].damping = integer(r, 0, m->parameters - 1, "a coupling");
        if (!r->fault && (e[pair[i].a].measure < m->active) != (e[pair[i].b].measure < m->active)) wrong(r, "a coupling");
    }
    m->coupling = pair;
    m->bushings = count(r, "the number of coupled bushings");
    Bushing *bushing = take(r, (size_t)m->bushings, sizeof *bushing);
    for (int i = 0; i < m->bushings && !r->fault; i++) {
        bushing[i].count = integer(r, 1, 6, "the directions of a bushing");
        bushing[i].elements = indices(r, bushing[i].count, m->elements, "a direction of a bushing");
    }
    m->bushing = bushing;
}

static void read_markers(Reader *r, Model *m) {
    m->markers = count(r, "the number of markers");
    Marker *marker = take(r, (size_t)m->markers, sizeof *marker);
    for (int i = 0; i < m->markers && !r->fault; i++) {
        marker[i].has_spin = integer(r, 0, 1, "a spin axis");
        for (int k = 0; k < 3; k++) marker[i].spin[k] = real(r, "a spin axis");
        for (int k = 0; k < 3; k++) marker[i].design[k] = real(r, "a spin axis");
    }
    m->marker = marker;
    m->ports = count(r, "the number of ports");
    m->port = indices(r, m->ports, m->markers, "the marker of a port");
    if (m->loads + 6 * m->ports > m->inputs) wrong(r, "the place of the loads");
}

/* The first of n rows that must lie before `end`; -1 where there are none. */
static int rows(Reader *r, int n, int end, const char *what) {
    int first = integer(r, -1, end, what);
    if (!r->fault && n > 0 && (first < 0 || first > end - n)) wrong(r, what);
    return first;
}

static void read_places(Reader *r, const Model *m, Chart *c) {
    int motion = c->end[MOTION], all = c->end[POSES], nz = m->nz, several = m->charts > 1;
    c->J = rows(r, nz * (nz + 1) / 2, motion, "the place of J");
    if (c->J != 0) wrong(r, "the place of J");
    for (int i = 0; i < 3; i++) c->S[i] = rows(r, 1, c->end[ACROSS], "the place of S");
    c->loads = rows(r, 0, motion, "the place of the loads");
    if (c->loads < 0) wrong(r, "the place of the loads");
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

/* The first chunks of the motion are those of J alone. */
static void split_inertia(const Chart *c, Block *b) {
    b->chunk[INERTIA] = b->chunk[MOTION];
    for (; b->chunks[MOTION] && b->chunk[MOTION]->row < c->end[INERTIA]; b->chunk[MOTION]++) {
        b->begin[MOTION] += KT_CHUNK * (b->chunk[MOTION]->plain + b->chunk[MOTION]->linear + b->chunk[MOTION]->quadratic);
        b->chunks[INERTIA]++;
        b->chunks[MOTION]--;
    }
}

static void read_chunks(Reader *r, const Model *m, const Chart *c, Block *b) {
    size_t column = 0;
    for (int need = MOTION; need < NEEDS && !r->fault; need++) {
        int n = b->chunks[need] = count(r, "the number of chunks");
        Chunk *chunk = take(r, (size_t)n, sizeof *chunk);
        b->begin[need] = (int)column;
        for (int k = 0; k < n && !r->fault; k++) {
            chunk[k].row = integer(r, need == MOTION ? 0 : c->end[need - 1], c->end[need] - KT_CHUNK, "the rows of a chunk");
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
    split_inertia(c, b);
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

static void read_chart(Reader *r, Model *m, Chart *c) {
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
    for (int need = MOTION; need < NEEDS; need++) {
        c->end[need] = integer(r, need == MOTION ? 0 : c->end[need - 1], 1 << 20, "the number of rows");
        if (c->end[need] % KT_CHUNK) wrong(r, "the number of rows");
    }
    c->end[INERTIA] = m->nz * (m->nz + 1) / 2 / KT_CHUNK * KT_CHUNK;
    if ((size_t)c->end[POSES] > m->most_rows) m->most_rows = (size_t)c->end[POSES];
    read_places(r, m, c);
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

static int hex(char digit) { return digit <= '9' ? digit - '0' : digit - 'a' + 10; }

static void read_stream(Reader *r, Model *m) {
    integer(r, KT_PLAN, KT_PLAN, "its version");
    m->nf = integer(r, 1, KT_MOST_AXES, "the number of axes");
    m->ns = integer(r, 0, KT_MOST_Z - KT_MOST_AXES, "the number of stiff coordinates");
    m->nz = m->nf + m->ns;
    m->quasistatic = integer(r, 0, m->ns > 0, "whether stiff coordinates are quasi-static");
    m->moving = integer(r, 0, 1, "whether the ground moves");
    m->charts = count(r, "the number of charts");
    if (m->charts < 1 || (m->ns && m->charts > 1)) wrong(r, "the number of charts");
    m->guid = text(r);
    const char *tag = text(r);
    if (!r->fault && (strlen(m->guid) != 32 || strspn(tag, "0123456789abcdef") != 2 * KT_TAG)) wrong(r, "its identity");
    for (int i = 0; i < KT_TAG && !r->fault; i++) m->tag[i] = (unsigned char)(16 * hex(tag[2 * i]) + hex(tag[2 * i + 1]));
    m->stages = integer(r, 0, 1, "its method") ? 2 : 4;
    m->mass = real(r, "the mass");
    read_variables(r, m);
    read_layout(r, m);
    SOUND(r);
    read_inputs(r, m);
    read_laws(r, m);
    SOUND(r);
    read_markers(r, m);
    SOUND(r);
    Chart *chart = take(r, (size_t)m->charts, sizeof *chart);
    for (int i = 0; i < m->charts && !r->fault; i++) read_chart(r, m, chart + i);
    for (int k = 0; k < m->nz && !r->fault; k++)
        m->far[k] = k < m->nf ? KT_FAR * (chart->axis[k].upper - chart->axis[k].lower) : KT_FAR_STIFF * m->stiff[k - m->nf].radius;
    m->chart = chart;
    if (!r->fault && r->left) wrong(r, "its end");
    if (!r->fault && m->drives && m->charts > 1) wrong(r, "drives with several charts");
    if (!r->fault && (size_t)(m->variables - m->outputs_at) != kt_output_count(m)) wrong(r, "the number of outputs");
    SOUND(r);
    if (kt_prepare_small(r->instance)) wrong(r, "there is not enough memory for it");
    m->can_depart = m->ns > 0;
    for (int i = 0; i < m->charts; i++)
        for (int k = 0; k < m->nf; k++) m->can_depart |= chart[i].axis[k].linear && !chart[i].axis[k].periodic;
    m->loads_rows = chart->s + m->active - chart->loads;
    for (int i = 1; i < m->charts; i++)
        if (chart[i].s - chart[i].loads != chart->s - chart->loads) wrong(r, "the places of charts");
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

int kt_read_model(kt_instance *instance, const unsigned char *blob, size_t size) {
    const uint16_t probe = 1;
    if (*(const unsigned char *)&probe != 1)
        return kt_fail(instance, FAILED, "this machine is big-endian, model files are little-endian");
    if (size < PRELUDE || memcmp(blob, "KINETAB", 8) != 0)
        return kt_fail(instance, FAILED, "it is not a model file; bake the mechanism again");
    uint64_t schema = little(blob + 8, 4), header = little(blob + 16, 8);
    if (schema != KT_SCHEMA)
        return kt_fail(instance, FAILED, "it has schema %u, this version reads schema %d; bake the mechanism again",
                       (unsigned)schema, KT_SCHEMA);
    if (header > size - PRELUDE) return kt_fail(instance, FAILED, "it is cut short; copy it again or bake the mechanism again");
    size_t start = (PRELUDE + (size_t)header + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (start > size) return kt_fail(instance, FAILED, "it is cut short; copy it again or bake the mechanism again");
    uint64_t plan = little(blob + 56, 8), words = little(blob + 64, 8);
    Reader r = {instance, blob + start, NULL, size - start, 0, NULL};
    if (r.payload_bytes % 8 || checksum(r.payload, r.payload_bytes / 8) != little(blob + 72, 8))
        return kt_fail(instance, FAILED,
                       "it is damaged (its checksum does not fit its content); copy it again or bake the mechanism again");
    if (plan % 8 || plan > r.payload_bytes || words > (r.payload_bytes - plan) / 8)
        return kt_fail(instance, FAILED, "its plan is not inside it; bake the mechanism again");
    r.at = r.payload + plan;
    r.left = (size_t)words;
    read_stream(&r, &instance->model);
    if (r.fault) return kt_fail(instance, FAILED, "its plan is wrong: %s; bake the mechanism again", r.fault);
    return OK;
}
