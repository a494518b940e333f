/* How fast a mechanism moves by itself; see pace.py, whose equations are named here. */

#define LIMITS 8 /* see limiting_device */

/* Largest eigenvalue, without its sign, of L^-1 a L^-T with the inertia J = L L^T, for n coordinates among WIDE; a is kept. */
static double largest(const double *L, const double *a, int n) {
    double x[NZ_MOST * NZ_MOST], y[NZ_MOST * NZ_MOST];
    for (int side = 0; side < 2; side++) /* y = L^-1 a, then x = L^-1 y^T */
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) {
                double sum = side ? y[j * n + i] : a[i * n + j];
                double *to = side ? x : y;
                for (int l = 0; l < i; l++) sum -= L[i * n + l] * to[l * n + j];
                to[i * n + j] = sum / L[i * n + i];
            }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) x[i * n + j] = y[i * n + j] = 0.5 * (i <= j ? x[i * n + j] + x[j * n + i] : 2.0 * x[j * n + i]);
    for (int i = 0; i < n * n; i++) y[i] = -x[i];
    return fmax(-kt_smallest_eigenvalue(x, n), -kt_smallest_eigenvalue(y, n));
}

/* a (nz, WIDE) becomes T^T a T for deflections that follow the axes by D (ns, nf). */
static void follow(Kernel *k, const double *D, double *a) {
    WITH_MODEL(k);
    for (int i = 0; i < NZ; i++)
        for (int j = 0; j < NF; j++)
            for (int s = 0; s < NS; s++) a[i * WIDE + j] += a[i * WIDE + NF + s] * D[s * NF + j];
    for (int i = 0; i < NF; i++)
        for (int j = 0; j < NF; j++)
            for (int s = 0; s < NS; s++) a[i * WIDE + j] += D[s * NF + i] * a[(NF + s) * WIDE + j];
}

/* K and C of the laws at a state; of the axes alone where deflections follow them: 0 if they cannot. */
static int tangents_at(Kernel *k, const State *state) {
    WITH_MODEL(k);
    RowSet *set = k->rows;
    const Chart *c = m->chart + state->chart;
    if (read_slopes(k, set, state->chart, state->z)) return 0;
    push(k, state->chart, state->lap);
    for (int row = c->s; row < c->s + m->measures; row++) {
        set->rate[row] = 0.0;
        for (int i = 0; i < NZ; i++) set->rate[row] += state->zd[i] * set->slope[(size_t)i * ROWS + row];
    }
    memset(k->K, 0, (size_t)(NZ * WIDE) * sizeof *k->K);
    memset(k->C, 0, (size_t)(NZ * WIDE) * sizeof *k->C);
    add_tangents(k, set, 0, 0, m->measures, k->K, k->C);
    if (!QUASISTATIC) return 1;
    double a[NZ_MOST * NZ_MOST], D[NZ_MOST * NZ_MOST];
    for (int i = 0; i < NS; i++) {
        for (int j = 0; j < NS; j++) a[i * NS + j] = k->K[(NF + i) * WIDE + NF + j];
        for (int j = 0; j < NF; j++) D[i * NF + j] = -k->K[(NF + i) * WIDE + j];
    }
    if (!kt_lu_solve(a, NS, D, NF)) return 0;
    follow(k, D, k->K);
    follow(k, D, k->C);
    return 1;
}

/* What devices ask for where deflections are quasi-static, at a state whose rows are read: (3) of swift.py. */
static double limiting_device(Kernel *k, const State *state, double limit) {
    WITH_MODEL(k);
    double lowest = 0.0;
    if (!DEVICES || !QUASISTATIC) return 0.0;
    take_memory(k, state);
    read_connections(k, k->rows, state->lap);
    if (kt_respond(k, k->inputs, 1)) {
        k->fault = (Fault){0}; /* the next step will say so */
        return 0.0;
    }
    for (int i = 0; i < LIMITS; i++) {
        const double bound = swiftness(k, k->rows, limit);
        if (!(bound > limit)) break;
        lowest = limit = bound;
    }
    return lowest;
}

/* Bound (1) of the eigenvalues [1/s] at a state, with that of devices if it is above the limit; zero where steps are implicit. */
static double fastest(Kernel *k, const State *state, double limit) {
    WITH_MODEL(k);
    double J[NZ_MOST * NZ_MOST], C[NZ_MOST * NZ_MOST], S[NZ_MOST * NZ_MOST], most = 0.0;
    int own[NZ_MOST], n = 0;
    if ((NS && !QUASISTATIC) || !tangents_at(k, state)) return 0.0;
    most = limiting_device(k, state, limit);
    for (int i = 0; i < NF; i++) {
        int driven = 0;
        for (int d = 0; d < DRIVES; d++) driven |= m->drive[d].axis == i;
        if (!driven) own[n++] = i;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            J[i * n + j] = k->rows->value[entry(NZ, own[i], own[j])];
            C[i * n + j] = k->C[own[i] * WIDE + own[j]];
            S[i * n + j] = k->K[own[i] * WIDE + own[j]];
        }
    for (int d = 0; d < DRIVES; d++)
        if (m->drive[d].filter_time > 0.0) most = fmax(most, 1.0 / m->drive[d].filter_time);
    if (!n || !cholesky(J, n)) return most;
    const double c = largest(J, C, n);
    return fmax(most, 0.5 * c + sqrt(0.25 * c * c + largest(J, S, n)));
}
