/* Reading tables; see reading.py and arrangement.py.  Included once per kind of processor, with NAME(x), TARGET, VECTOR and
 * HOLD(x) set; see hot.c.  The eight rows of a chunk are read in as many goes as the vectors need. */

/* Basis functions and slopes from their polynomials of t, w of them. */
INLINE TARGET void NAME(basis)(const double *powers, int p, int w, double t, double per_length, double *values,
                                      double *slopes) {
    for (int b = 0; p == 5 && b < w; b += LANES) { /* the commonest, in short chains */
        const double *from = powers + b, tt = t * t;
        VECTOR c1 = LOAD(from + w), c2 = LOAD(from + 2 * w), c3 = LOAD(from + 3 * w), c4 = LOAD(from + 4 * w);
        VECTOR c5 = LOAD(from + 5 * w);
        STORE(values + b, (LOAD(from) + t * c1) + tt * ((c2 + t * c3) + tt * (c4 + t * c5)));
        STORE(slopes + b, ((c1 + 2.0 * t * c2) + tt * ((3.0 * c3 + 4.0 * t * c4) + 5.0 * tt * c5)) * per_length);
    }
    for (int b = 0; p != 5 && b < w; b += LANES) {
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
    for (int i = 0; i < r->ns && !bent && chunk->clear; i++, to += r->rows) STORE(to, ZERO);
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

/* Values alone of all others. */
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
