/* How fast devices move on their mechanism; see swift.py, whose equations are named here. */

#define ROUNDS 16
#define SMALLEST 1e-200
#define SWING (MIDPOINT ? 0.2 : 1.0) /* of an explicit method: largest step times eigenvalue */

/* The larger one, or the one that is no number. */
INLINE double larger(double a, double b) { return a > b || a != a ? a : b; }

/* N (connections, connections), from the axes that are not driven: 0 if there is no inertia, which others say. */
static int mobility(Kernel *k, const RowSet *set, double *N) {
    WITH_MODEL(k);
    double L[NZ_MOST * NZ_MOST];
    double *Y = k->woven.Y;
    const double *slope = set->slope + m->chart[set->chart].s;
    int own[NZ_MOST], n = 0;
    for (int i = 0; i < NF; i++) {
        int driven = 0;
        for (int d = 0; d < DRIVES; d++) driven |= m->drive[d].axis == i;
        if (!driven) own[n++] = i;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) L[i * n + j] = set->value[entry(NZ, own[i], own[j])];
    if (!cholesky(L, n)) return 0;
    for (int c = 0; c < CONNECTIONS; c++)
        for (int i = 0; i < n; i++) {
            double sum = slope[(size_t)own[i] * ROWS + m->connected[c]];
            for (int l = 0; l < i; l++) sum -= L[i * n + l] * Y[c * n + l];
            Y[c * n + i] = sum / L[i * n + i];
        }
    for (int a = 0; a < CONNECTIONS; a++)
        for (int b = 0; b < CONNECTIONS; b++) {
            double sum = 0.0;
            for (int i = 0; i < n; i++) sum += Y[a * n + i] * Y[b * n + i];
            N[a * CONNECTIONS + b] = sum;
        }
    return 1;
}

/* P v (2n + nx) of (2), for the rows P (n, 2n + nx) of sdd; those of s and x are looked up. */
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
        const double *R = k->device_F + d->slopes_at + d->connections * d->width;
        for (int i = 0; i < d->states; i++, R += d->width) {
            double sum = 0.0;
            for (int j = 0; j < d->connections; j++)
                sum += fabs(R[j]) * v[d->first_connection + j] + fabs(R[d->connections + j]) * v[n + d->first_connection + j];
            for (int j = 0; j < d->states; j++) sum += fabs(R[2 * d->connections + j]) * v[2 * n + d->first_state + j];
            u[2 * n + d->first_state + i] = sum;
        }
    }
}

/* Rows (n, 2n + nx) of sdd, without signs. */
static void find_swift(Kernel *k, const double *N, double *P) {
    WITH_MODEL(k);
    const int n = CONNECTIONS, all = 2 * n + STATES;
    EACH_DEVICE {
        const int own = d->connections, width = d->width;
        const double *F = k->device_F + d->slopes_at;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < width; j++) {
                const int column = j < own ? d->first_connection + j : j < 2 * own ? n + d->first_connection + j - own : 2 * n + d->first_state + j - 2 * own;
                double sum = 0.0;
                for (int l = 0; l < own; l++) sum += N[i * n + d->first_connection + l] * F[l * width + j];
                P[i * all + column] = fabs(sum);
            }
    }
}

/* A bound [1/s] of the eigenvalues of devices, by (2), from their slopes at a place: the first one found that is not above the
 * limit, or the last. */
static double swiftness(Kernel *k, const RowSet *set, double limit) {
    WITH_MODEL(k);
    const int all = 2 * CONNECTIONS + STATES;
    double *P = k->swift, *v = P + CONNECTIONS * all, *u = v + all, bound = 0.0;
    if (!mobility(k, set, k->woven.N)) return 0.0;
    find_swift(k, k->woven.N, P);
    for (int i = 0; i < all; i++) v[i] = 1.0;
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
        for (int i = 0; i < all; i++) v[i] = larger(v[i] / most, SMALLEST);
    }
    return bound;
}
