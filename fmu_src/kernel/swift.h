/* How fast devices move on their mechanism; see swift.py, whose equations are named here. */

#define ROUNDS 16
#define SWING (MIDPOINT ? 0.2 : 1.0) /* of an explicit method: largest step times eigenvalue */

/* The larger one, or the one that is no number. */
INLINE double larger(double a, double b) { return a > b || a != a ? a : b; }

/* N (connections, connections), from the axes that are not driven, by J = L D L^T: 0 if there is no inertia, which others say. */
INLINE int mobility(Kernel *k, const RowSet *set, double *N) {
    WITH_MODEL(k);
    double L[NZ_MOST][NZ_MOST], per[NZ_MOST];
    const double *slope = set->slope + m->chart[set->chart].s;
    for (int i = 0; i < NF; i++)
        for (int j = i; j < NF; j++) L[i][j] = set->value[entry(NZ, i, j)];
    for (int i = 0; i < CONNECTIONS * CONNECTIONS; i++) N[i] = 0.0;
    for (int c = 0; c < CONNECTIONS; c++)
        for (int i = 0; i < NF; i++) k->woven.Y[c * NF + i] = slope[(size_t)i * ROWS + m->tie[c].measure];
    for (int d = 0; d < DRIVES; d++) {
        const int a = m->drive[d].axis;
        for (int i = 0; i < NF; i++) {
            if (i < a) L[i][a] = 0.0; else L[a][i] = 0.0;
        }
        L[a][a] = 1.0;
        for (int c = 0; c < CONNECTIONS; c++) k->woven.Y[c * NF + a] = 0.0;
    }
    for (int i = 0; i < NF; i++) {
        if (!(L[i][i] > 0.0 && L[i][i] < HUGE_VAL)) return 0;
        per[i] = 1.0 / L[i][i];
        for (int j = i + 1; j < NF; j++) {
            const double f = L[i][j] * per[i];
            for (int l = j; l < NF; l++) L[j][l] -= f * L[i][l];
            for (int c = 0; c < CONNECTIONS; c++) k->woven.Y[c * NF + j] -= f * k->woven.Y[c * NF + i];
        }
        for (int a = 0; a < CONNECTIONS; a++)
            for (int b = 0; b < CONNECTIONS; b++) N[a * CONNECTIONS + b] += per[i] * k->woven.Y[a * NF + i] * k->woven.Y[b * NF + i];
    }
    return 1;
}

/* Rows (n, 2n + nx) of sdd, without signs. */
static void find_swift(Kernel *k, const double *N, double *P) {
    WITH_MODEL(k);
    const int n = CONNECTIONS, all = 2 * n + STATES;
    EACH_DEVICE {
        const int own = d->connections, width = d->width;
        const int first[3] = {d->first_connection, n + d->first_connection - own, 2 * n + d->first_state - 2 * own};
        const double *F = k->device_F + d->slopes_at;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < width; j++) {
                double sum = 0.0;
                for (int l = 0; l < own; l++) sum += N[i * n + d->first_connection + l] * F[l * width + j];
                P[i * all + first[j < own ? 0 : j < 2 * own ? 1 : 2] + j] = fabs(sum);
            }
    }
}

/* u = P v (2n + nx) of (2), for the rows P of sdd; those of s and x are looked up. */
static void multiply_swift(const Kernel *k, const double *P, const double *v, double *u) {
    WITH_MODEL(k);
    const int n = CONNECTIONS, all = 2 * n + STATES;
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int j = 0; j < all; j++) sum += P[i * all + j] * v[j];
        u[i] = v[n + i];
        u[n + i] = sum;
    }
    EACH_DEVICE {
        const int own = d->connections;
        const double *R = k->device_F + d->slopes_at + own * d->width, *s = v + d->first_connection, *x = v + 2 * n + d->first_state;
        for (int i = 0; i < d->states; i++, R += d->width) {
            double sum = 0.0;
            for (int j = 0; j < own; j++) sum += fabs(R[j]) * s[j] + fabs(R[own + j]) * s[n + j];
            for (int j = 0; j < d->states; j++) sum += fabs(R[2 * own + j]) * x[j];
            u[2 * n + d->first_state + i] = sum;
        }
    }
}

/* Where v begins. */
static void begin_swift(Kernel *k, double *v, double limit) {
    WITH_MODEL(k);
    const int n = CONNECTIONS;
    for (int i = 0; i < n; i++) {
        v[i] = 2.0 / limit;
        v[n + i] = 1.0;
    }
    EACH_DEVICE {
        double r[KT_MOST_ACTIVE];
        kt_begin_swift(d, k->device_F + d->slopes_at + d->connections * d->width, 2.0 / limit, r, v + 2 * n + d->first_state);
    }
}

/* The first bound (2) that is not above the limit, or the last. */
APART double find_bound(Kernel *k, double limit) {
    WITH_MODEL(k);
    const int all = 2 * CONNECTIONS + STATES;
    double *P = k->swift, *v = P + CONNECTIONS * all, *u = v + all, bound = 0.0;
    for (int i = 0; i < CONNECTIONS * all; i++) P[i] = 0.0;
    find_swift(k, k->woven.N, P);
    begin_swift(k, v, limit);
    for (int round = 0; round < ROUNDS && all; round++) {
        double most = 0.0;
        multiply_swift(k, P, v, u);
        bound = 0.0;
        for (int i = 0; i < all; i++) bound = larger(u[i] / v[i], bound);
        if (bound <= limit) break;
        for (int i = 0; i < all; i++) {
            v[i] = u[i] + limit * v[i];
            most = larger(v[i], most);
        }
        for (int i = 0; i < all; i++) v[i] = larger(v[i] / most, KT_SMALLEST);
    }
    return bound;
}

/* A bound [1/s] of the eigenvalues of devices from their slopes at a place; zero if it is surely not above the limit: mostly the
 * first one is not, and with |N| |F| in the place of |N F| it is found faster. */
INLINE double swiftness(Kernel *k, const RowSet *set, double limit) {
    WITH_MODEL(k);
    double *w = work_of(k, ALONG);
    if (!mobility(k, set, k->woven.N)) return 0.0;
    if (!kt_calm(k, 2.0 / limit, w)) return find_bound(k, limit);
    for (int i = 0; i < CONNECTIONS; i++) {
        double sum = 0.0;
        for (int j = 0; j < CONNECTIONS; j++) sum += fabs(k->woven.N[i * CONNECTIONS + j]) * w[j];
        if (!(sum <= limit)) return find_bound(k, limit);
    }
    return 0.0;
}
