/* Reading tables of the commonest kinds; and the choice among all, after reading.h. */

/* How the coefficients of a column are weighted: for its value, and for its slopes along up to two axes. */
typedef struct { double N[36], D[2][36]; size_t at[36]; } NAME(Weights);

INLINE TARGET void NAME(weigh)(const Reading *r, const int nb, const int p, NAME(Weights) *w) {
    const size_t *stride = r->block->stride;
    for (int a = 0, e = 0; a <= p; a++)
        for (int b = 0; b <= (nb == 2 ? p : 0); b++, e++) {
            w->at[e] = (size_t)a * stride[0] + (nb == 2 ? (size_t)b * stride[1] : 0);
            w->N[e] = r->N[0][a] * (nb == 2 ? r->N[1][b] : 1.0);
            w->D[0][e] = r->D[0][a] * (nb == 2 ? r->N[1][b] : 1.0);
            if (nb == 2) w->D[1][e] = r->N[0][a] * r->D[1][b];
        }
}

/* Values and slopes along axes of a chunk. */
INLINE TARGET void NAME(put_values)(const Reading *r, const Chunk *chunk, const VECTOR *value, const VECTOR *along,
                                    const int nb) {
    double *to = r->V + chunk->row;
    NAME(put)(to, value, chunk->first);
    for (int k = 0; k < r->nf && nb < r->nf && chunk->first; k++) STORE(to + (size_t)(1 + k) * r->rows, ZERO);
    for (int k = 0; k < nb; k++) NAME(put)(to + (size_t)(1 + r->axis[k]) * r->rows, along + k, chunk->first);
}

/* A cell: its value, from coefficients that are also added to sums, with a factor. */
#define CELL(c, factor, sums)                                                                      \
    VECTOR v = ZERO;                                                                               \
    for (int e = 0; e < n; e++) {                                                                  \
        VECTOR x = LOAD((c) + w.at[e]);                                                            \
        HOLD(x); /* it is used twice */                                                            \
        v += w.N[e] * x;                                                                           \
        (sums)[e] += (factor) * x;                                                                 \
    }

/* The commonest cases by themselves: blocks over one or two axes with nothing kept, of a degree that is known.  What
 * deflections multiply is summed up as coefficients, from which the value and its slopes along axes follow; slopes along
 * deflections need the value of each cell.  Cells with two deflections come in runs with the same first one. */
INLINE TARGET void NAME(read_fast)(const Reading *reading, const Chunk *chunks, int count, const int nb, const int p) {
    const Reading own = *reading, *r = &own; /* copies: the compiler sees that no store changes them */
    const int n = nb == 1 ? p + 1 : (p + 1) * (p + 1);
    const double *c = r->from, *d = r->d;
    NAME(Weights) w;
    NAME(weigh)(r, nb, p, &w);
    for (const Chunk *end = chunks + count; chunks < end; chunks++) {
        const Chunk copy = *chunks, *chunk = &copy;
        const int quadratic = chunk->quadratic, whole = quadratic == r->ns * (r->ns + 1) / 2;
        const unsigned char *f = chunk->factors, *f_end = f + chunk->linear;
        double *to = r->V + chunk->row + (size_t)(1 + r->nf) * r->rows;
        VECTOR A[36], slopes[KT_MOST_Z], value = ZERO, along[2] = {ZERO, ZERO};
        for (int e = 0; e < n; e++) A[e] = chunk->plain ? LOAD(c + w.at[e]) : ZERO;
        if (chunk->plain) c += KT_CHUNK;
        if (quadratic)
            for (int i = 0; i < r->ns; i++) slopes[i] = ZERO;
        else if (chunk->clear && chunk->linear < r->ns) /* what no cell here will set */
            for (int i = 0; i < r->ns; i++) STORE(to + (size_t)i * r->rows, ZERO);
        if (chunk->first && !quadratic && chunk->linear == r->ns) { /* every deflection in turn */
            double *each = to;
            for (int i = 0; i < r->ns; i++, c += KT_CHUNK, each += r->rows) {
                CELL(c, d[i], A)
                STORE(each, v);
            }
            f = f_end;
        }
        for (; f < f_end; f++, c += KT_CHUNK) {
            const double di = d[*f];
            CELL(c, di, A)
            if (quadratic) slopes[*f] = v;
            else NAME(put)(to + (size_t)*f * r->rows, &v, chunk->first);
        }
        for (f_end = f + 2 * quadratic; f < f_end;) {
            const int i = *f;
            const double di = d[i];
            VECTOR run[36], slope = ZERO;
            for (int e = 0; e < n; e++) run[e] = ZERO;
            if (whole) { /* with every deflection from this one on */
                for (int j = i; j < r->ns; j++, c += KT_CHUNK) {
                    CELL(c, d[j], run)
                    slopes[j] += di * v;
                }
                f += 2 * (r->ns - i);
            }
            for (; f < f_end && *f == i; f += 2, c += KT_CHUNK) {
                const double dj = d[f[1]];
                CELL(c, dj, run)
                slopes[f[1]] += di * v;
            }
            for (int e = 0; e < n; e++) {
                A[e] += di * run[e];
                slope += w.N[e] * run[e];
            }
            slopes[i] += slope;
        }
        for (int i = 0; i < r->ns && quadratic; i++) NAME(put)(to + (size_t)i * r->rows, slopes + i, chunk->first);
        for (int e = 0; e < n; e++) {
            value += w.N[e] * A[e];
            for (int k = 0; k < nb; k++) along[k] += w.D[k][e] * A[e];
        }
        NAME(put_values)(r, chunk, &value, along, nb);
    }
}

/* Blocks without axes, by slopes: those of a form of second order times deflections are twice its value. */
static TARGET void NAME(read_constants)(const Reading *reading, const Chunk *chunk, int chunks) {
    const Reading own = *reading, *r = &own;
    const double *c = r->from, *d = r->d;
    for (const Chunk *end = chunk + chunks; chunk < end; chunk++) {
        const unsigned char *f = chunk->turned;
        const int first = chunk->first, along = chunk->along;
        double *to = r->V + chunk->row + (size_t)(1 + r->nf) * r->rows;
        VECTOR value = chunk->plain ? LOAD(c) : ZERO;
        c += KT_CHUNK * chunk->plain;
        for (int i = 0; i < r->ns && chunk->clear && along < r->ns; i++) STORE(to + (size_t)i * r->rows, ZERO);
        for (int n = 0; n < along; n++) {
            const int i = *f++;
            const VECTOR alone = LOAD(c);
            VECTOR slope = alone;
            c += KT_CHUNK;
            for (const unsigned char *last = f + *f; f < last; c += KT_CHUNK) slope += d[*++f] * LOAD(c);
            f++;
            value += 0.5 * d[i] * (alone + slope);
            NAME(put)(to + (size_t)i * r->rows, &slope, first);
        }
        NAME(put_values)(r, chunk, &value, NULL, 0);
    }
}

static TARGET void NAME(read_line_1)(const Reading *r, const Chunk *chunk, int chunks) {
    NAME(read_fast)(r, chunk, chunks, 1, 1);
}

static TARGET void NAME(read_line_3)(const Reading *r, const Chunk *chunk, int chunks) {
    NAME(read_fast)(r, chunk, chunks, 1, 3);
}

static TARGET void NAME(read_line_5)(const Reading *r, const Chunk *chunk, int chunks) {
    NAME(read_fast)(r, chunk, chunks, 1, 5);
}

static TARGET void NAME(read_plane_1)(const Reading *r, const Chunk *chunk, int chunks) {
    NAME(read_fast)(r, chunk, chunks, 2, 1);
}

static TARGET void NAME(read_plane_3)(const Reading *r, const Chunk *chunk, int chunks) {
    NAME(read_fast)(r, chunk, chunks, 2, 3);
}

static TARGET void NAME(read_plane_5)(const Reading *r, const Chunk *chunk, int chunks) {
    NAME(read_fast)(r, chunk, chunks, 2, 5);
}

/* The value of a cell, in chains that do not wait for one another. */
INLINE TARGET VECTOR NAME(cell_value)(const double *c, const NAME(Weights) *w, const int n) {
    VECTOR sum[4] = {ZERO, ZERO, ZERO, ZERO};
    for (int e = 0; e < n; e++) sum[e % 4] += w->N[e] * LOAD(c + w->at[e]);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Values alone of the commonest blocks; see `read_fast`. */
INLINE TARGET void NAME(read_fast_values)(const Reading *reading, const Chunk *chunk, int chunks, const int nb, const int p) {
    const Reading own = *reading, *r = &own;
    const int n = nb == 1 ? p + 1 : (p + 1) * (p + 1);
    const double *c = r->from, *d = r->d;
    NAME(Weights) w;
    NAME(weigh)(r, nb, p, &w);
    for (const Chunk *end = chunk + chunks; chunk < end; chunk++) {
        const unsigned char *f = chunk->factors;
        VECTOR value = ZERO;
        for (int e = 0; e < chunk->plain; e++, c += KT_CHUNK) value = NAME(cell_value)(c, &w, n);
        for (int e = 0; e < chunk->linear; e++, f++, c += KT_CHUNK) value += d[*f] * NAME(cell_value)(c, &w, n);
        for (int e = 0; e < chunk->quadratic; e++, f += 2, c += KT_CHUNK)
            value += d[f[0]] * d[f[1]] * NAME(cell_value)(c, &w, n);
        NAME(put)(r->V + chunk->row, &value, chunk->first);
    }
}

static TARGET void NAME(read_line_values)(const Reading *r, const Chunk *chunk, int chunks) {
    if (r->degree == 1) NAME(read_fast_values)(r, chunk, chunks, 1, 1);
    else if (r->degree == 3) NAME(read_fast_values)(r, chunk, chunks, 1, 3);
    else NAME(read_fast_values)(r, chunk, chunks, 1, 5);
}

static TARGET void NAME(read_plane_values)(const Reading *r, const Chunk *chunk, int chunks) {
    if (r->degree == 3) NAME(read_fast_values)(r, chunk, chunks, 2, 3);
    else NAME(read_fast_values)(r, chunk, chunks, 2, 5);
}

INLINE TARGET void NAME(read_lanes)(const Reading *r, const Chunk *chunk, int chunks) {
    const int nb = r->block->nb, p = r->degree;
    if (!r->keep && nb == 0) NAME(read_constants)(r, chunk, chunks);
    else if (!r->keep && nb == 1 && p == 1) NAME(read_line_1)(r, chunk, chunks);
    else if (!r->keep && nb == 1 && p == 3) NAME(read_line_3)(r, chunk, chunks);
    else if (!r->keep && nb == 1 && p == 5) NAME(read_line_5)(r, chunk, chunks);
    else if (!r->keep && nb == 2 && p == 1) NAME(read_plane_1)(r, chunk, chunks);
    else if (!r->keep && nb == 2 && p == 3) NAME(read_plane_3)(r, chunk, chunks);
    else if (!r->keep && nb == 2 && p == 5) NAME(read_plane_5)(r, chunk, chunks);
    else if (nb == 0) NAME(read_sloped)(r, chunk, chunks, 0);
    else if (nb == 1) NAME(read_sloped)(r, chunk, chunks, 1);
    else if (nb == 2) NAME(read_sloped)(r, chunk, chunks, 2);
    else NAME(read_sloped)(r, chunk, chunks, 3);
}

/* What is left of a reading from a lane on. */
INLINE TARGET Reading NAME(from_lane)(const Reading *r, int lane) {
    Reading rest = *r;
    rest.from += lane;
    rest.V += lane;
    if (rest.keep) rest.keep += lane;
    return rest;
}

static TARGET void NAME(read_all)(const Reading *reading, const Chunk *chunk, int chunks) {
    if (LANES == KT_CHUNK) {
        NAME(read_lanes)(reading, chunk, chunks);
        return;
    }
    for (int lane = 0; lane < KT_CHUNK; lane += LANES) {
        const Reading r = NAME(from_lane)(reading, lane);
        NAME(read_lanes)(&r, chunk, chunks);
    }
}

static TARGET void NAME(read_values)(const Reading *reading, const Chunk *chunk, int chunks) {
    for (int lane = 0; lane < KT_CHUNK; lane += LANES) {
        const Reading r = NAME(from_lane)(reading, lane);
        const int nb = r.block->nb, p = r.degree;
        if (!r.keep && nb == 1 && (p == 1 || p == 3 || p == 5)) NAME(read_line_values)(&r, chunk, chunks);
        else if (!r.keep && nb == 2 && (p == 3 || p == 5)) NAME(read_plane_values)(&r, chunk, chunks);
        else NAME(read_value_lanes)(&r, chunk, chunks);
    }
}
