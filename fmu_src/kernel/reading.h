/* Reading tables; see reading.py and arrangement.py.  Included once per kind of processor, with NAME(x), TARGET, VECTOR and
 * HOLD(x) set; see hot.c.  The eight rows of a chunk are read in as many goes as the vectors need. */

/* Basis functions and slopes from their polynomials of t, w of them. */
INLINE TARGET void NAME(basis)(const double *powers, int p, int w, double t, double per_length, double *values,
                                      double *slopes) {
    for (int b = 0; b < w; b += LANES) {
        const double *from = powers + p * w + b;
        VECTOR v = LOAD(from), s = v;
        for (int k = p - 1; k > 0; k--) {
            from -= w;
            v = v * t + LOAD(from);
            s = s * t + v;
        }
        v = v * t + LOAD(from - w);
        STORE(values + b, v);
        STORE(slopes + b, s * per_length);
    }
}

/* Sums along the last axis of a block, of some columns. */
INLINE TARGET void NAME(along)(const double *c, size_t stride, const double *N, const double *D, int p, VECTOR *v,
                                      VECTOR *g) {
    VECTOR x = LOAD(c), value = N[0] * x, slope = D[0] * x;
    if (p == 5) { /* two chains each, which overlap */
        VECTOR x1 = LOAD(c + stride), x2 = LOAD(c + 2 * stride), x3 = LOAD(c + 3 * stride), x4 = LOAD(c + 4 * stride);
        VECTOR x5 = LOAD(c + 5 * stride), other = N[1] * x1, across = D[1] * x1;
        value += N[2] * x2;
        slope += D[2] * x2;
        other += N[3] * x3;
        across += D[3] * x3;
        value += N[4] * x4;
        slope += D[4] * x4;
        other += N[5] * x5;
        across += D[5] * x5;
        *v = value + other;
        *g = slope + across;
        return;
    }
    for (int i = 1; i <= p; i++) {
        c += stride;
        x = LOAD(c);
        value += N[i] * x;
        slope += D[i] * x;
    }
    *v = value;
    *g = slope;
}

/* Values of some columns and slopes along each axis of their block. */
INLINE TARGET void NAME(columns)(const double *c, const Block *b, const double *const *N, const double *const *D,
                                        int p, VECTOR *v, VECTOR *g) {
    int last = b->nb - 1;
    VECTOR t, s, value = ZERO, slope0 = ZERO, slope1 = ZERO, slope2 = ZERO;
    if (last == 0) {
        NAME(along)(c, b->stride[0], N[0], D[0], p, v, g);
        return;
    }
    if (last == 1) {
        for (int e = 0; e <= p; e++, c += b->stride[0]) {
            NAME(along)(c, b->stride[1], N[1], D[1], p, &t, &s);
            value += N[0][e] * t;
            slope0 += D[0][e] * t;
            slope1 += N[0][e] * s;
        }
    } else {
        for (int a = 0; a <= p; a++)
            for (int e = 0; e <= p; e++) {
                NAME(along)(c + (size_t)a * b->stride[0] + (size_t)e * b->stride[1], b->stride[2], N[2], D[2], p, &t, &s);
                value += N[0][a] * N[1][e] * t;
                slope0 += D[0][a] * N[1][e] * t;
                slope1 += N[0][a] * D[1][e] * t;
                slope2 += N[0][a] * N[1][e] * s;
            }
        g[2] = slope2;
    }
    *v = value;
    g[0] = slope0;
    g[1] = slope1;
}

INLINE TARGET void NAME(put)(double *to, const VECTOR *from, int first) {
    if (first) STORE(to, *from);
    else STORE(to, LOAD(to) + *from);
}

/* The next cell of a reading: read from the tables or, where it was kept, from there. */
INLINE TARGET void NAME(next)(const Reading *r, size_t *column, VECTOR *v, VECTOR *g) {
    if (r->kept) {
        *v = LOAD(r->keep + *column);
        for (int k = 0; k < r->block->nb; k++) g[k] = LOAD(r->keep + (size_t)(1 + k) * r->keep_stride + *column);
    } else {
        if (r->block->nb == 0) *v = LOAD(r->from + *column);
        else NAME(columns)(r->from + *column, r->block, r->N, r->D, r->degree, v, g);
        if (r->keep) {
            STORE(r->keep + *column, *v);
            for (int k = 0; k < r->block->nb; k++) STORE(r->keep + (size_t)(1 + k) * r->keep_stride + *column, g[k]);
        }
    }
    *column += KT_CHUNK;
}

/* The slots of a chunk get sums: values, slopes along the block's axes, and along the deflections if there are any. */
INLINE TARGET void NAME(put_chunk)(const Reading *r, const Chunk *chunk, const VECTOR *value, const VECTOR *along, int nb,
                                   const VECTOR *slopes, int bent) {
    double *to = r->V + chunk->row;
    NAME(put)(to, value, chunk->first);
    for (int k = 0; k < r->nf && nb < r->nf && chunk->first; k++) STORE(to + (size_t)(1 + k) * r->rows, ZERO);
    for (int k = 0; k < nb; k++) NAME(put)(to + (size_t)(1 + r->axis[k]) * r->rows, along + k, chunk->first);
    to += (size_t)(1 + r->nf) * r->rows;
    for (int i = 0; i < r->ns && bent; i++, to += r->rows) NAME(put)(to, slopes + i, chunk->first);
    for (int i = 0; i < r->ns && !bent && chunk->first; i++, to += r->rows) STORE(to, ZERO);
}

/* Chunks of rows with all slopes; nb, the number of the block's axes, is known where this is used. */
INLINE TARGET void NAME(read_sloped)(const Reading *r, const Chunk *chunk, int chunks, const int nb) {
    VECTOR v, g[KT_MOST_AXES], slopes[KT_MOST_Z];
    size_t column = 0;
    for (const Chunk *end = chunk + chunks; chunk < end; chunk++) {
        VECTOR value = ZERO, along[KT_MOST_AXES] = {ZERO, ZERO, ZERO};
        const unsigned char *f = chunk->factors;
        int bent = chunk->linear + chunk->quadratic;
        for (int i = 0; i < r->ns && bent; i++) slopes[i] = ZERO;
        if (chunk->plain) {
            NAME(next)(r, &column, &value, along);
        }
        for (int e = 0; e < chunk->linear; e++, f++) {
            double d = r->d[*f];
            NAME(next)(r, &column, &v, g);
            value += d * v;
            for (int k = 0; k < nb; k++) along[k] += d * g[k];
            slopes[*f] += v;
        }
        for (int e = 0; e < chunk->quadratic; e++, f += 2) {
            double di = r->d[f[0]], dj = r->d[f[1]], m = di * dj;
            NAME(next)(r, &column, &v, g);
            value += m * v;
            for (int k = 0; k < nb; k++) along[k] += m * g[k];
            slopes[f[0]] += dj * v;
            slopes[f[1]] += di * v; /* twice the same where the factors are */
        }
        NAME(put_chunk)(r, chunk, &value, along, nb, slopes, bent);
    }
}

/* Columns of degree 5 over up to two axes; N and D are the basis functions of the last one, in all lanes. */
INLINE TARGET void NAME(cell)(const Reading *r, const double *c, const VECTOR *N, const VECTOR *D, const int nb, VECTOR *v,
                              VECTOR *g) {
    if (nb == 0) {
        *v = LOAD(c);
        return;
    }
    const size_t s = r->block->stride[nb - 1];
    VECTOR value = ZERO, slope = ZERO, across = ZERO;
    for (int e = 0; e < (nb == 2 ? 6 : 1); e++) {
        VECTOR c0 = LOAD(c), c1 = LOAD(c + s), c2 = LOAD(c + 2 * s), c3 = LOAD(c + 3 * s), c4 = LOAD(c + 4 * s);
        VECTOR c5 = LOAD(c + 5 * s);
        HOLD(c0); /* each is used twice */
        HOLD(c1);
        HOLD(c2);
        HOLD(c3);
        HOLD(c4);
        HOLD(c5);
        VECTOR t = (N[0] * c0 + N[2] * c2 + N[4] * c4) + (N[1] * c1 + N[3] * c3 + N[5] * c5);
        VECTOR d = (D[0] * c0 + D[2] * c2 + D[4] * c4) + (D[1] * c1 + D[3] * c3 + D[5] * c5);
        if (nb == 1) {
            *v = t;
            g[0] = d;
            return;
        }
        value += r->N[0][e] * t;
        across += r->D[0][e] * t;
        slope += r->N[0][e] * d;
        c += r->block->stride[0];
    }
    *v = value;
    g[0] = across;
    g[1] = slope;
}

/* Slopes along deflections that no cell without another one will set. */
INLINE TARGET void NAME(clear)(const Reading *r, const Chunk *chunk, VECTOR *slopes) {
    if (chunk->linear == r->ns) return;
    if (chunk->quadratic)
        for (int i = 0; i < r->ns; i++) slopes[i] = ZERO;
    else if (chunk->first)
        for (int i = 0; i < r->ns; i++) STORE(r->V + chunk->row + (size_t)(1 + r->nf + i) * r->rows, ZERO);
}

/* The slope along deflection f from the only cell with it alone: at once to its slot, if nothing else is added. */
INLINE TARGET void NAME(set_slope)(const Reading *r, const Chunk *chunk, int f, const VECTOR *v, VECTOR *slopes) {
    if (chunk->quadratic) slopes[f] = *v;
    else NAME(put)(r->V + chunk->row + (size_t)(1 + r->nf + f) * r->rows, v, chunk->first);
}

/* Values and slopes along axes of a chunk, and those along deflections that are not yet in their slots. */
INLINE TARGET void NAME(put_fast)(const Reading *r, const Chunk *chunk, const VECTOR *value, const VECTOR *along, int nb,
                                  const VECTOR *slopes) {
    double *to = r->V + chunk->row;
    NAME(put)(to, value, chunk->first);
    for (int k = 0; k < r->nf && nb < r->nf && chunk->first; k++) STORE(to + (size_t)(1 + k) * r->rows, ZERO);
    for (int k = 0; k < nb; k++) NAME(put)(to + (size_t)(1 + r->axis[k]) * r->rows, along + k, chunk->first);
    to += (size_t)(1 + r->nf) * r->rows;
    for (int i = 0; i < r->ns && chunk->quadratic; i++, to += r->rows) NAME(put)(to, slopes + i, chunk->first);
}

/* The commonest cases by themselves: blocks over up to two axes, of degree 5, with nothing kept.  Cells with two
 * deflections come in runs with the same first one, whose sums stay in registers; a quadratic form is half the sum of its
 * slopes times the deflections. */
INLINE TARGET void NAME(read_fast)(const Reading *reading, const Chunk *chunks, int count, const int nb) {
    const Reading own = *reading, *r = &own; /* copies: the compiler sees that no store changes them */
    const double *c = r->from, *d = r->d;
    VECTOR N[6], D[6], slopes[KT_MOST_Z];
    for (int e = 0; e < 6 && nb; e++) {
        N[e] = ZERO + r->N[nb - 1][e];
        D[e] = ZERO + r->D[nb - 1][e];
    }
    for (const Chunk *end = chunks + count; chunks < end; chunks++) {
        const Chunk copy = *chunks, *chunk = &copy;
        VECTOR value = ZERO, along[2] = {ZERO, ZERO}, v, g[2];
        const unsigned char *f = chunk->factors, *f_end = f + chunk->linear;
        NAME(clear)(r, chunk, slopes);
        if (chunk->plain) {
            NAME(cell)(r, c, N, D, nb, &value, along);
            c += KT_CHUNK;
        }
        for (; f < f_end; f++, c += KT_CHUNK) {
            NAME(cell)(r, c, N, D, nb, &v, g);
            for (int k = 0; k < nb; k++) along[k] += d[*f] * g[k];
            if (chunk->quadratic) value += 0.5 * d[*f] * v;
            else value += d[*f] * v;
            NAME(set_slope)(r, chunk, *f, &v, slopes);
        }
        for (f_end = f + 2 * chunk->quadratic; f < f_end;) {
            const int i = *f;
            const double di = d[i];
            VECTOR slope = ZERO, sloped[2] = {ZERO, ZERO};
            for (; f < f_end && *f == i; f += 2, c += KT_CHUNK) {
                NAME(cell)(r, c, N, D, nb, &v, g);
                slope += d[f[1]] * v;
                for (int k = 0; k < nb; k++) sloped[k] += d[f[1]] * g[k];
                slopes[f[1]] += di * v;
            }
            slopes[i] += slope;
            for (int k = 0; k < nb; k++) along[k] += di * sloped[k];
        }
        for (int i = 0; i < r->ns && chunk->quadratic; i++) value += 0.5 * d[i] * slopes[i];
        NAME(put_fast)(r, chunk, &value, along, nb, slopes);
    }
}

static TARGET void NAME(read_line)(const Reading *r, const Chunk *chunk, int chunks) {
    NAME(read_fast)(r, chunk, chunks, 1);
}

static TARGET void NAME(read_plane)(const Reading *r, const Chunk *chunk, int chunks) {
    NAME(read_fast)(r, chunk, chunks, 2);
}

/* The block without axes, of any degree. */
static TARGET void NAME(read_constants)(const Reading *r, const Chunk *chunk, int chunks) {
    NAME(read_fast)(r, chunk, chunks, 0);
}

INLINE TARGET void NAME(read_lanes)(const Reading *r, const Chunk *chunk, int chunks) {
    int fast = r->degree == 5 && !r->keep;
    if (!r->keep && r->block->nb == 0) {
        NAME(read_constants)(r, chunk, chunks);
        return;
    }
    if (fast && r->block->nb == 1) {
        NAME(read_line)(r, chunk, chunks);
        return;
    }
    if (fast && r->block->nb == 2) {
        NAME(read_plane)(r, chunk, chunks);
        return;
    }
    switch (r->block->nb) {
    case 0: NAME(read_sloped)(r, chunk, chunks, 0); break;
    case 1: NAME(read_sloped)(r, chunk, chunks, 1); break;
    case 2: NAME(read_sloped)(r, chunk, chunks, 2); break;
    default: NAME(read_sloped)(r, chunk, chunks, 3); break;
    }
}

/* The same without slopes. */
INLINE TARGET void NAME(read_value_lanes)(const Reading *r, const Chunk *chunk, int chunks) {
    VECTOR v, g[KT_MOST_AXES];
    size_t column = 0;
    for (const Chunk *end = chunk + chunks; chunk < end; chunk++) {
        VECTOR value = ZERO;
        const unsigned char *f = chunk->factors;
        if (chunk->plain) NAME(next)(r, &column, &value, g);
        for (int e = 0; e < chunk->linear; e++, f++) {
            NAME(next)(r, &column, &v, g);
            value += r->d[*f] * v;
        }
        for (int e = 0; e < chunk->quadratic; e++, f += 2) {
            NAME(next)(r, &column, &v, g);
            value += r->d[f[0]] * r->d[f[1]] * v;
        }
        NAME(put)(r->V + chunk->row, &value, chunk->first);
    }
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
    for (int lane = 0; lane < KT_CHUNK; lane += LANES) {
        const Reading r = NAME(from_lane)(reading, lane);
        NAME(read_lanes)(&r, chunk, chunks);
    }
}

static TARGET void NAME(read_values)(const Reading *reading, const Chunk *chunk, int chunks) {
    for (int lane = 0; lane < KT_CHUNK; lane += LANES) {
        const Reading r = NAME(from_lane)(reading, lane);
        NAME(read_value_lanes)(&r, chunk, chunks);
    }
}
