/* Reading the tables of a chart: where a configuration lies on the grids, and its rows.  See reading.py and bspline.py.
 *
 * A row is a sum of splines times monomials of the deflections.  Eight rows, a chunk, are read at once: the cells of all
 * blocks that add to them, one after the other, so that sums stay in registers.
 */

typedef struct { /* on each grid of a chart; d counts from where tables are expanded about */
    double d[NZ_MOST];
    int span[GRIDS_MOST];
    double t[GRIDS_MOST], per_length[GRIDS_MOST], excess[GRIDS_MOST]; /* the last where it is continued linearly */
    double basis[GRIDS_MOST][2 * KT_WIDTH];                               /* values, slopes */
} Place;

typedef struct { vec value, along[NZ_MOST]; } Chunk; /* slopes over all coordinates */

typedef struct { /* of one block; constants where shapes are */
    int number, nb, degree, axis[KT_MOST_AXES], grid[KT_MOST_AXES];
    size_t stride[KT_MOST_AXES];
    int in_powers;
} BlockShape;

typedef struct { int plain, times[KT_FACTORS]; const int *factor; } Cells; /* times one deflection, two, three;
                                                                            * no factors: every deflection in turn */

/* A coordinate that is not in the span where it was found last: its place inside the table. */
APART int locate(Kernel *k, int chart, int g, double x, Place *at, double *found) {
    const Chart *c = k->m->chart + chart;
    const Grid *grid = c->grid + g;
    const Axis *a = c->axis + grid->axis;
    double length = a->upper - a->lower;
    at->excess[g] = 0.0;
    if (!isfinite(x)) return kt_not_finite(k, "value", a->name, x);
    if (a->periodic && !(x >= a->lower && x <= a->upper)) {
        double turn = fmod(x - a->lower, length);
        x = fmin(a->lower + (turn < 0.0 ? turn + length : turn), a->upper);
    } else if (!(x >= a->lower && x <= a->upper)) {
        double border = x < a->lower ? a->lower : a->upper;
        if (a->linear) at->excess[g] = x - border;
        else if (x < c->least[grid->axis] || x > c->most[grid->axis]) return kt_left(k, chart, grid->axis, x);
        x = border;
    }
    int low = grid->degree, high = grid->count;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (x >= grid->knots[middle]) low = middle; else high = middle;
    }
    while (low > grid->degree && !(grid->knots[low] < grid->knots[low + 1])) low--; /* knots may be multiple */
    at->span[g] = low - grid->degree;
    *found = x;
    return OK;
}

/* Where z lies on a grid, and its basis functions there unless nobody asks for them. */
INLINE int find_place(Kernel *k, int chart, Place *at, const double *z, const int g, const int axis, const int degree,
                      const int needed) {
    const Grid *grid = k->m->chart[chart].grid + g;
    int *hint = k->span + chart * KT_MOST_GRIDS + g;
    double x = z[axis];
    const double *knots = grid->knots + degree + *hint;
    at->span[g] = *hint;
    if (LEAVING_OF(k)) at->excess[g] = 0.0;
    if (!(x >= knots[0] && x < knots[1])) {
        int status = locate(k, chart, g, x, at, &x);
        if (status) return status;
        *hint = at->span[g];
    }
    at->per_length[g] = grid->per_length[at->span[g]];
    at->t[g] = (x - grid->knots[degree + at->span[g]]) * at->per_length[g];
    if (!needed) return OK;
    const double *c = grid->powers + (size_t)at->span[g] * (size_t)((degree + 1) * KT_WIDTH), t = at->t[g];
    double *N = at->basis[g], *D = N + KT_WIDTH;
    UNROLL for (int b = 0; b <= degree; b += LANES) {
        vec v = load(c + degree * KT_WIDTH + b), s = v;
        UNROLL for (int q = degree - 1; q > 0; q--) {
            v = axpy(load(c + q * KT_WIDTH + b), t, v);
            s = axpy(v, t, s);
        }
        v = axpy(load(c + b), t, v);
        s = times(at->per_length[g], s);
        if (LEAVING_OF(k)) v = axpy(v, at->excess[g], s);
        store(N + b, v);
        store(D + b, s);
    }
    return OK;
}

INLINE int corners(const int nb, const int degree) {
    return nb == 0 ? 1 : nb == 1 ? degree + 1 : nb == 2 ? (degree + 1) * (degree + 1) : (degree + 1) * (degree + 1) * (degree + 1);
}

/* Weights of the corners of a cell, for value and slopes: products of basis functions, (1 + nb, corners). */
INLINE void weigh(const Place *at, const BlockShape *const b, double *weights) {
    const int n = corners(b->nb, b->degree), p = b->degree;
    for (int d = 0; d <= b->nb; d++) { /* the slope along axis d - 1, or the value */
        double *to = weights + d * n;
        const double *A = at->basis[b->grid[0]] + (d == 1) * KT_WIDTH, *B = at->basis[b->grid[1]] + (d == 2) * KT_WIDTH;
        for (int i = 0, e = 0; i <= p; i++)
            for (int j = 0; j <= p; j++) {
                const double both = A[i] * B[j];
                if (b->nb == 2) { to[e++] = both; continue; }
                const double *C = at->basis[b->grid[2]] + (d == 3) * KT_WIDTH;
                for (int l = 0; l <= p; l++) to[e++] = both * C[l];
            }
    }
}

INLINE size_t place_of(const BlockShape *const b, const int e) {
    const int n = b->degree + 1;
    if (b->nb < 2) return (size_t)e * b->stride[0];
    if (b->nb == 2) return (size_t)(e / n) * b->stride[0] + (size_t)(e % n) * b->stride[1];
    return (size_t)(e / n / n) * b->stride[0] + (size_t)(e / n % n) * b->stride[1] + (size_t)(e % n) * b->stride[2];
}

/* Columns without deflections over one axis, from their own polynomials. */
INLINE void from_powers(const Kernel *k, int chart, const Place *at, const BlockShape *const b, size_t column, Chunk *r) {
    const Block *block = k->m->chart[chart].block + b->number;
    const int g = b->grid[0], p = b->degree;
    const double *c = block->powers + ((size_t)at->span[g] * (size_t)block->columns + (column & ~(size_t)7)) * (size_t)(p + 1) +
                      (column & 7), t = at->t[g];
    vec v = load(c + p * KT_CHUNK), s = v;
    UNROLL for (int q = p - 1; q > 0; q--) {
        v = axpy(load(c + q * KT_CHUNK), t, v);
        s = axpy(v, t, s);
    }
    v = axpy(load(c), t, v);
    s = times(at->per_length[g], s);
    if (LEAVING_OF(k)) v = axpy(v, at->excess[g], s);
    r->value = add(r->value, v);
    r->along[b->axis[0]] = add(r->along[b->axis[0]], s);
}

/* Columns without deflections: contracted along one axis after the other. */
INLINE void contract(const Place *at, const BlockShape *const b, const double *c, Chunk *r) {
    const int p = b->degree;
    const double *N0 = at->basis[b->grid[0]], *N1 = at->basis[b->grid[b->nb - 1]];
    vec v[2] = {zero(), zero()}, g0[2] = {zero(), zero()}, g1[2] = {zero(), zero()};
    if (b->nb == 1) {
        UNROLL for (int i = 0; i <= p; i++) {
            vec x = load(c + (size_t)i * b->stride[0]);
            v[i % 2] = axpy(v[i % 2], N0[i], x);
            g0[i % 2] = axpy(g0[i % 2], N0[KT_WIDTH + i], x);
        }
    } else {
        UNROLL for (int i = 0; i <= p; i++) {
            vec a[2] = {zero(), zero()}, g[2] = {zero(), zero()};
            UNROLL for (int j = 0; j <= p; j++) {
                vec x = load(c + (size_t)i * b->stride[0] + (size_t)j * b->stride[1]);
                a[j % 2] = axpy(a[j % 2], N1[j], x);
                g[j % 2] = axpy(g[j % 2], N1[KT_WIDTH + j], x);
            }
            const vec sum = add(a[0], a[1]);
            v[i % 2] = axpy(v[i % 2], N0[i], sum);
            g0[i % 2] = axpy(g0[i % 2], N0[KT_WIDTH + i], sum);
            g1[i % 2] = axpy(g1[i % 2], N0[i], add(g[0], g[1]));
        }
        r->along[b->axis[1]] = add(r->along[b->axis[1]], add(g1[0], g1[1]));
    }
    r->value = add(r->value, add(v[0], v[1]));
    r->along[b->axis[0]] = add(r->along[b->axis[0]], add(g0[0], g0[1]));
}

/* The value of a cell; its coefficients times a factor are added to sums. */
INLINE vec one_cell(const double *N, const BlockShape *const b, const int n, const double *c, double factor, vec *sums) {
    vec v[2] = {zero(), zero()};
    UNROLL_CORNERS for (int e = 0; e < n; e++) {
        vec x = load(c + place_of(b, e));
        HOLD(x);
        v[e % 2] = axpy(v[e % 2], N[e], x);
        sums[e] = axpy(sums[e], factor, x);
    }
    return add(v[0], v[1]);
}

/* Cells with all products of so many deflections from `from` on, in turn, times `scale`: their coefficients times these
 * deflections are added to sums.  Products of more deflections are one of them times products of fewer.  Returns where the
 * cells end. */
INLINE const double *products_1(const double *N, const BlockShape *const b, const int n, const double *c, const double *d,
                                const int from, const double scale, const int nf, const int ns, vec *sums, Chunk *r) {
    for (int i = from; i < ns; i++, c += KT_CHUNK)
        r->along[nf + i] = axpy(r->along[nf + i], scale, one_cell(N, b, n, c, d[i], sums));
    return c;
}

#define PRODUCTS(more, fewer)                                                                                                 \
    INLINE const double *products_##more(const double *N, const BlockShape *const b, const int n, const double *c,            \
                                         const double *d, const int from, const double scale, const int nf, const int ns,     \
                                         vec *sums, Chunk *r) {                                                               \
        for (int i = from; i < ns; i++) {                                                                                     \
            vec own[CORNERS_MOST], slope[2] = {zero(), zero()};                                                               \
            UNROLL_CORNERS for (int e = 0; e < n; e++) own[e] = zero();                                                       \
            c = products_##fewer(N, b, n, c, d, i, scale * d[i], nf, ns, own, r);                                             \
            UNROLL_CORNERS for (int e = 0; e < n; e++) {                                                                      \
                sums[e] = axpy(sums[e], d[i], own[e]);                                                                        \
                slope[e % 2] = axpy(slope[e % 2], N[e], own[e]);                                                              \
            }                                                                                                                 \
            r->along[nf + i] = axpy(r->along[nf + i], scale, add(slope[0], slope[1]));                                        \
        }                                                                                                                     \
        return c;                                                                                                             \
    }
PRODUCTS(2, 1)
PRODUCTS(3, 2) /* KT_FACTORS */

/* The product of some deflections without the one at a place. */
INLINE double without_one(const double *d, const int *factor, const int count, const int place) {
    double product = 1.0;
    UNROLL for (int i = 0; i < count; i++)
        if (i != place) product *= d[factor[i]];
    return product;
}

/* All cells of a block for a chunk: the coefficients of its corners are summed up, and slopes along deflections with
 * them; then come values and slopes along the axes. */
INLINE void with_deflections(const double *N, const BlockShape *const b, const double *c, const Cells f, const double *d,
                             const int nf, const int ns, Chunk *r) {
    const int n = corners(b->nb, b->degree);
    vec sums[CORNERS_MOST];
    UNROLL_CORNERS for (int e = 0; e < n; e++) sums[e] = f.plain ? load(c + place_of(b, e)) : zero();
    c += f.plain * KT_CHUNK;
    if (!f.factor) {
        if (f.times[0]) c = products_1(N, b, n, c, d, 0, 1.0, nf, ns, sums, r);
        if (f.times[1]) c = products_2(N, b, n, c, d, 0, 1.0, nf, ns, sums, r);
        if (f.times[2]) c = products_3(N, b, n, c, d, 0, 1.0, nf, ns, sums, r);
    } else {
        const int *own = f.factor;
        UNROLL for (int count = 1; count <= KT_FACTORS; count++)
            for (int i = 0; i < f.times[count - 1]; i++, c += KT_CHUNK, own += count) {
                const vec v = one_cell(N, b, n, c, without_one(d, own, count, -1), sums);
                UNROLL for (int a = 0; a < count; a++)
                    r->along[nf + own[a]] = axpy(r->along[nf + own[a]], without_one(d, own, count, a), v);
            }
    }
    if (b->nb == 0) {
        r->value = add(r->value, sums[0]);
        return;
    }
    UNROLL for (int a = 0; a <= b->nb; a++) {
        vec chain[4] = {zero(), zero(), zero(), zero()}; /* that do not wait for one another */
        UNROLL_CORNERS for (int e = 0; e < n; e++) chain[e % 4] = axpy(chain[e % 4], N[(b->nb == 1 ? KT_WIDTH : n) * a + e], sums[e]);
        const vec sum = add(add(chain[0], chain[1]), add(chain[2], chain[3]));
        if (a == 0) r->value = add(r->value, sum);
        else r->along[b->axis[a - 1]] = add(r->along[b->axis[a - 1]], sum);
    }
}

/* What a block adds to a chunk; `column` is the first of its columns for these lanes. */
INLINE void cells(const Kernel *k, int chart, const Place *at, const BlockShape *const b, size_t column, const Cells f,
                  const int nf, const int ns, Chunk *r) {
    static const double one[1] = {1.0};
    const int plain = !f.times[0] && !f.times[1] && !f.times[2];
    if (b->in_powers) {
        from_powers(k, chart, at, b, column, r);
        return;
    }
    const Block *block = k->m->chart[chart].block + b->number;
    const double *c = block->coefficients + column;
    for (int a = 0; a < b->nb; a++) c += (size_t)at->span[b->grid[a]] * b->stride[a];
    if (plain && (b->nb == 1 || b->nb == 2)) contract(at, b, c, r);
    else if (plain && b->nb == 0) r->value = add(r->value, load(c));
    else
        with_deflections(b->nb == 0 ? one : b->nb == 1 ? at->basis[b->grid[0]] : k->weights + block->weights_at, b, c, f, at->d,
                         nf, ns, r);
}
