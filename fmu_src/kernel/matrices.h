/* Matrices of implicit steps; see tangent.py, whose equations are named here.  They are (nz, WIDE) and transposed: a product
 * with a vector then adds up rows of memory. */

/* y += factor A x */
INLINE void multiply(const int nz, const double *A, double factor, const double *x, double *y) {
    const int wide = (nz + LANES - 1) / LANES * LANES;
    for (int j = 0; j < wide; j += LANES) {
        vec s[4] = {zero(), zero(), zero(), zero()};
        UNROLL for (int i = 0; i < nz; i++) s[i % 4] = axpy(s[i % 4], x[i], load(A + i * wide + j));
        store(y + j, axpy(load(y + j), factor, add(add(s[0], s[1]), add(s[2], s[3]))));
    }
}

/* Ones with a zero in the middle, zeros with a one in the middle: they slide over a row, so that no number of it is stored
 * alone. */
#define EIGHT(x) x, x, x, x, x, x, x, x
#define MANY(x) EIGHT(x), EIGHT(x), EIGHT(x), EIGHT(x), EIGHT(x), EIGHT(x), EIGHT(x), EIGHT(x)
static const double without[129] = {MANY(1), 0, MANY(1)}, only[129] = {MANY(0), 1, MANY(0)};

/* Gauss and Jordan, without pivoting: 0 unless a pivot is not positive. */
static int invert(const int nz, double *a) {
    const int wide = (nz + LANES - 1) / LANES * LANES;
    for (int i = 0; i < nz; i++) {
        const double pivot = a[i * wide + i], per = 1.0 / pivot;
        vec own[WIDE_MOST / LANES], rest[WIDE_MOST / LANES];
        if (!(pivot > 0.0 && pivot < HUGE_VAL)) return 1;
        for (int j = 0; j < wide / LANES; j++) {
            rest[j] = load(without + 64 - i + j * LANES);
            own[j] = times(per, fma_of(load(only + 64 - i + j * LANES), rest[j], load(a + i * wide + j * LANES)));
        }
        for (int l = 0; l < nz; l++) {
            const double factor = a[l * wide + i];
            for (int j = 0; j < wide / LANES; j++) {
                double *at = a + l * wide + j * LANES;
                store(at, axpy(fma_of(zero(), rest[j], load(at)), -factor, own[j]));
            }
        }
        for (int j = 0; j < wide / LANES; j++) store(a + i * wide + j * LANES, own[j]);
    }
    return 0;
}

APART int singular(Kernel *k) {
    return kt_fail(k, FAILED,
                   "the matrix of an implicit step is singular: a stiffness or damping is negative or not finite; check the "
                   "parameters of the springs and bushings");
}

/* A becomes the inverse of M + g C + g^2 K, all transposed. */
static int factorize(Kernel *k, double g) {
    WITH_MODEL(k);
    const int nz = NZ, wide = WIDE;
    for (int i = 0; i < nz * wide; i++) k->A[i] = k->M[i] + g * (k->C[i] + g * k->K[i]);
    if (!invert(nz, k->A)) return OK;
    double *a = k->work, *right = k->A; /* a falling characteristic: with pivoting */
    for (int i = 0; i < nz; i++)
        for (int j = 0; j < nz; j++) a[i * nz + j] = k->M[i * wide + j] + g * (k->C[i * wide + j] + g * k->K[i * wide + j]);
    for (int i = 0; i < nz * nz; i++) right[i] = i % (nz + 1) == 0;
    if (!kt_lu_solve(a, nz, right, nz)) return singular(k);
    for (int i = nz - 1; i >= 0; i--)
        for (int j = wide - 1; j >= 0; j--) k->A[i * wide + j] = j < nz ? right[i * nz + j] : 0.0;
    return OK;
}

/* to (nz, WIDE) += factor (a b^T + b a^T) / 2 for gradients of measures */
INLINE void add_product(const int nz, const double *slope, size_t rows, int a, int b, double factor, double *to) {
    const int wide = (nz + LANES - 1) / LANES * LANES;
    for (int i = 0; i < nz; i++)
        for (int j = 0; j < nz; j++)
            to[i * wide + j] += 0.5 * factor * (slope[(size_t)i * rows + a] * slope[(size_t)j * rows + b] +
                                                slope[(size_t)i * rows + b] * slope[(size_t)j * rows + a]);
}

/* Slopes of all laws on the measures from `first` to `last`, at their values and rates: df/ds and df/dsdot, with other sign. */
static void law_slopes(Kernel *k, const RowSet *set, int lap, int first, int last, double *along, double *rate) {
    WITH_MODEL(k);
    const Chart *c = m->chart + set->chart;
    for (int i = first; i < last; i++) {
        along[i - first] = k->stiffness[c->s + i];
        rate[i - first] = k->damping[c->s + i];
    }
    for (int b = 0; b < BENDS; b++) {
        const int i = m->bend[b].measure, row = c->s + i;
        double slopes[2] = {0.0, 0.0};
        if (i < first || i >= last) continue;
        kt_law_slopes(m->bend[b].law, k->parameters, set->value[row] + lap * m->bend[b].lap, set->rate[row], slopes, slopes + 1);
        along[i - first] -= slopes[0];
        rate[i - first] -= slopes[1];
    }
}

/* K and C += those of the measures from `first` to `last` and of their couplings, (1) and (2). */
static void add_tangents(Kernel *k, const RowSet *set, int lap, int first, int last, double *K, double *C) {
    WITH_MODEL(k);
    const Chart *c = m->chart + set->chart;
    const int nz = NZ, wide = WIDE;
    double along[KT_CHUNK], rate[KT_CHUNK];
    for (int block = first; block < last; block += KT_CHUNK) {
        const int count = last - block < KT_CHUNK ? last - block : KT_CHUNK;
        law_slopes(k, set, lap, block, block + count, along, rate);
        for (int e = 0; e < count; e++) {
            double x[WIDE_MOST];
            for (int i = 0; i < wide; i++) x[i] = i < nz ? set->slope[(size_t)i * ROWS + c->s + block + e] : 0.0;
            for (int i = 0; i < nz; i++) {
                const double a = along[e] * x[i], b = rate[e] * x[i];
                for (int j = 0; j < wide; j += LANES) {
                    store(K + i * wide + j, axpy(load(K + i * wide + j), a, load(x + j)));
                    store(C + i * wide + j, axpy(load(C + i * wide + j), b, load(x + j)));
                }
            }
        }
    }
    for (int i = 0; i < COUPLINGS; i++) {
        const Coupling *pair = m->coupling + i;
        const int a = m->element[pair->a].measure, b = m->element[pair->b].measure;
        if (a < first || a >= last) continue;
        add_product(nz, set->slope, (size_t)ROWS, c->s + a, c->s + b, 2.0 * k->parameters[pair->stiffness], K);
        add_product(nz, set->slope, (size_t)ROWS, c->s + a, c->s + b, 2.0 * k->parameters[pair->damping], C);
    }
}

/* K1 and C1: of the measures that do not vary, with the gradients that they have where they are expanded about. */
static int find_fixed(Kernel *k, const State *state) {
    WITH_MODEL(k);
    if (k->fixed_known) return OK;
    const size_t bytes = (size_t)(NZ * WIDE) * sizeof(double);
    double flat[NZ_MOST] = {0.0};
    memset(k->K1, 0, bytes);
    memset(k->C1, 0, bytes);
    if (m->varying < m->measures) {
        memcpy(flat, state->z, (size_t)NF * sizeof *flat);
        for (int i = 0; i < NS; i++) flat[NF + i] = m->stiff[i].about;
        push(k, state->chart, state->lap);
        int status = read_slopes(k, k->rows + 1, state->chart, flat);
        if (status) return status;
        add_tangents(k, k->rows + 1, 0, m->varying, m->measures, k->K1, k->C1);
    }
    k->fixed_known = 1;
    return OK;
}

/* The equation of a driven coordinate is that of its drive. */
static void drive_equations(Kernel *k) {
    WITH_MODEL(k);
    for (int d = 0; d < DRIVES; d++) {
        const int a = m->drive[d].axis;
        const double T = m->drive[d].filter_time;
        for (int i = 0; i < NZ; i++) k->M[i * WIDE + a] = k->C[i * WIDE + a] = k->K[i * WIDE + a] = 0.0;
        k->M[a * WIDE + a] = 1.0;
        if (T == 0.0) continue;
        k->C[a * WIDE + a] = 2.0 / T;
        k->K[a * WIDE + a] = 1.0 / (T * T);
    }
}

INLINE void unpack(const int nz, const double *packed, double *to) {
    const int wide = (nz + LANES - 1) / LANES * LANES;
    for (int i = 0; i < nz; i++)
        for (int j = 0; j < wide; j++) to[i * wide + j] = j < nz ? packed[entry(nz, i, j)] : 0.0;
}

/* C += dc/dzd - dQ_frame/dzd, (3) and (4); transposed. */
static void add_gyration(Kernel *k, const RowSet *set, const double *zd, const double *inputs) {
    WITH_MODEL(k);
    const Chart *c = m->chart + set->chart;
    const int nz = NZ, wide = WIDE;
    for (int i = 0; i < nz; i++)
        for (int j = 0; j < nz; j++) {
            double apart = set->rate[entry(nz, i, j)]; /* entry (j, i) of C */
            for (int l = 0; l < nz; l++)
                apart += zd[l] * (set->slope[(size_t)i * ROWS + entry(nz, j, l)] - set->slope[(size_t)j * ROWS + entry(nz, i, l)]);
            for (int a = 0; a < 6 && MOVING; a++)
                apart += inputs[m->twist + a] * (set->slope[(size_t)i * ROWS + c->N + a * nz + j] -
                                                 set->slope[(size_t)j * ROWS + c->N + a * nz + i]);
            k->C[i * wide + j] += apart;
        }
}
