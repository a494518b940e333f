/* The rows of a chart at one place, and one rule for all of them: with the rates zd of the coordinates,
 *
 *     rate = sum_k zd_k slope_k,   weight = load - stiffness value - damping rate,   force_k += weight slope_k        (1)
 *
 * Loads on the rows of J are products of rates, those on S gravity, on positions of ports their forces; on measures act
 * the linear laws.  So no slope leaves the registers but those that laws which are not linear, couplings and the matrices
 * of implicit steps ask for.
 */

INLINE Chunk nothing(const int nz) {
    Chunk r;
    r.value = zero();
    for (int i = 0; i < nz; i++) r.along[i] = zero();
    return r;
}

/* A chunk is read: the rule (1), or what is to be kept of it. */
INLINE void finish(const Mode mode, const int kept, const Work *w, int row, const int nz, const Chunk *r) {
    store(w->value + row, r->value);
    if (mode != SLOPES && mode != PLAIN) {
        vec rate[2] = {zero(), zero()};
        UNROLL for (int i = 0; i < nz; i++) rate[i % 2] = axpy(rate[i % 2], w->zd[i], r->along[i]);
        const vec all = add(rate[0], rate[1]);
        store(w->rate + row, all);
        if (mode != VALUES) {
            const vec weight = fms_of(fms_of(load(w->load + row), load(w->stiffness + row), r->value), load(w->damping + row), all);
            vec *part = w->part;
            UNROLL for (int i = 0; i < nz; i++) part[i] = fma_of(part[i], weight, r->along[i]);
        }
    }
    if (mode == SLOPES || (mode == ACT && kept))
        UNROLL for (int i = 0; i < nz; i++) store(w->slope + (size_t)i * w->rows + row, r->along[i]);
}

/* A number for one of the rows of a vector. */
INLINE vec lane_of(double x, int lane) {
    double own[LANES] = {0.0};
    own[lane] = x;
    return load(own);
}

/* What grows by a fixed slope. */
APART void grow(const Kernel *k, int chart, const double *z, int row, Chunk *r) {
    WITH_MODEL(k);
    const Chart *c = m->chart + chart;
    for (const Slope *s = c->slope, *end = s + c->slopes; s < end; s++) {
        int lane = s->row - row;
        if (lane < 0 || lane >= LANES) continue;
        r->value = add(r->value, lane_of(s->slope * (z[s->axis] - s->reference), lane));
        r->along[s->axis] = add(r->along[s->axis], lane_of(s->slope, lane));
    }
}

INLINE int wanted(const Mode mode, const Work *w, int row) {
    return mode == ACT || mode == SLOPES || (w->wanted[row / KT_CHUNK / 64] >> (row / KT_CHUNK % 64) & 1);
}

/* Deflections, counted from where tables are expanded about. */
INLINE void find_deflections(const Kernel *k, const double *z, Place *at) {
    WITH_MODEL(k);
    for (int i = 0; i < NS; i++) at->d[i] = z[NF + i] - k->m->stiff[i].about;
}

static BlockShape shape_of(const Chart *c, int number) {
    const Block *b = c->block + number;
    BlockShape s = {.number = number, .nb = b->nb, .degree = b->degree, .in_powers = b->powers != NULL};
    for (int a = 0; a < b->nb; a++) {
        s.grid[a] = b->grid[a];
        s.axis[a] = c->grid[b->grid[a]].axis;
        s.stride[a] = b->stride[a];
    }
    return s;
}

#if !SHAPED
/* Rows of a need, from the runs of the model file. */
APART void read_need(const Mode mode, Kernel *k, int chart, const int need, const Place *at, const double *z, const Work *w) {
    WITH_MODEL(k);
    const Chart *c = m->chart + chart;
    for (const Run *run = c->run + (need ? c->run_end[need - 1] : 0), *end = c->run + c->run_end[need]; run < end; run++)
        for (int n = 0; n < run->chunks; n++) {
            const int row = run->row + n * KT_CHUNK;
            if (!wanted(mode, w, row)) continue;
            EACH_LANE {
                Chunk r = nothing(NZ);
                for (const Part *p = run->part, *last = p + run->parts; p < last; p++) {
                    Cells f = {.plain = p->plain, .factor = p->all ? NULL : p->factor};
                    memcpy(f.times, p->times, sizeof f.times);
                    size_t column = (size_t)p->offset + (size_t)n * (size_t)p->step + (size_t)lane;
                    const BlockShape shape = shape_of(c, p->block);
                    cells(k, chart, at, &shape, column, f, NF, NS, &r);
                }
                if (GROWING) grow(k, chart, z, row + lane, &r);
                finish(mode, run->kept, w, row + lane, NZ, &r);
            }
        }
}

INLINE int find_places(Kernel *k, int chart, const double *z, Place *at) {
    const Chart *c = k->m->chart + chart;
    find_deflections(k, z, at);
    for (int g = 0; g < c->grids; g++) {
        int status = find_place(k, chart, at, z, g, c->grid[g].axis, c->grid[g].degree, 1);
        if (status) return status;
    }
    for (int b = 0; b < c->blocks; b++)
        if (c->block[b].weighed) {
            const BlockShape shape = shape_of(c, b);
            weigh(at, &shape, k->weights + c->block[b].weights_at);
        }
    return OK;
}

INLINE int find_request_places(Kernel *k, int chart, const double *z, Place *at) {
    return (void)k, (void)chart, (void)z, (void)at, OK; /* they are found with all others */
}
#else
#define BLOCK(chart, number, ...) static const BlockShape block_##chart##_##number = {number, __VA_ARGS__};
EACH_BLOCK
#define CELLS(...) ((Cells){__VA_ARGS__})
#define PART(block, offset, step, cells_)                                                                                     \
    cells(k, chart, at, &block, (size_t)(offset) + (size_t)n * (size_t)(step) + (size_t)lane, cells_, NF, NS, &r);
#define RUN(first, count, kept, parts)                                                                                        \
    for (int n = 0; n < (count); n++) {                                                                                       \
        const int row = (first) + n * KT_CHUNK;                                                                               \
        if (!wanted(mode, w, row)) continue;                                                                                  \
        EACH_LANE {                                                                                                           \
            Chunk r = nothing(NZ);                                                                                            \
            parts                                                                                                             \
            if (GROWING) grow(k, chart, z, row + lane, &r);                                                                   \
            finish(mode, kept, w, row + lane, NZ, &r);                                                                        \
        }                                                                                                                     \
    }
#define GRID(g, axis, degree, needed) if ((status = find_place(k, chart, at, z, g, axis, degree, needed))) return status;
#define REGRID(g, axis, degree) if ((status = find_place(k, chart, at, z, g, axis, degree, 1))) return status;
#define WEIGH(block, where) weigh(at, &block, k->weights + (where));
#define CHART(number, ...) if (CHARTS == 1 || chart == (number)) { __VA_ARGS__ }

INLINE int find_places(Kernel *k, int chart, const double *z, Place *at) {
    int status = OK;
    find_deflections(k, z, at);
    EACH_PLACE
    return status;
}

/* The same for what is read on request. */
INLINE int find_request_places(Kernel *k, int chart, const double *z, Place *at) {
    int status = OK;
    EACH_REQUEST_PLACE
    (void)k, (void)chart, (void)z, (void)at;
    return status;
}

INLINE void read_need(const Mode mode, Kernel *k, int chart, const int need, const Place *at, const double *z, const Work *w) {
    switch (need) {
    case KT_MOTION: EACH_MOTION break;
    case KT_ACROSS: EACH_ACROSS break;
    case KT_MOMENTS: EACH_MOMENTS break;
    case KT_SHOWN: EACH_SHOWN break;
    case KT_POSES: EACH_POSES break;
    case KT_REQUEST: EACH_REQUEST break; /* nothing with deflections: any.c reads it */
    }
    (void)chart, (void)at, (void)z, (void)w, (void)k, (void)mode;
}
#endif
