/* The part of devices in implicit steps; see tangent.py, rosenbrock.py and midpoint.py.
 *
 * All that devices do goes through their measures s, so what they add to the matrix B of a step has few columns, and w comes
 * from the inverse of B alone.  With the gradients ds (nz, n) of all connections, where they act without rows of driven
 * coordinates, and S = (1/g - A)^-1 and what is made with it device by device,
 *
 *     (B + ds Z ds^T) w = a' + ds f,   Z = -(g F_sdot + g^2 F_s) - g F_x H,   H = S (g R_s + R_sdot)                    (1)
 *     w = a + Y (f - T (ds^T a + N f)),   a = B^-1 a',   Y = B^-1 ds,   N = ds^T Y,   T = (1 + Z N)^-1 Z              (2)
 */

/* S, E = S R_s and H of one device; Z of (1). */
static int weave_states(Kernel *k, const Device *d, double g, double *S, double *E, double *H) {
    const int n = d->connections, nx = d->states, width = d->width;
    const double *F = k->device_F + d->slopes_at, *R = F + n * width;
    double *matrix = k->newton;
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < nx; j++) {
            S[i * nx + j] = i == j;
            matrix[i * nx + j] = (i == j) / g - R[i * width + 2 * n + j];
        }
    if (nx && !kt_lu_solve(matrix, nx, S, nx))
        return kt_fail(k, FAILED,
                       "the matrix of an implicit step is singular: states of elements grow as fast as the step is short; check "
                       "their formulas, or reduce 'solver.step'");
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < n; j++) {
            double along = 0.0, rate = 0.0;
            for (int l = 0; l < nx; l++) {
                along += S[i * nx + l] * R[l * width + j];
                rate += S[i * nx + l] * R[l * width + n + j];
            }
            E[i * n + j] = along;
            H[i * n + j] = g * along + rate;
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = F[i * width + n + j] + g * F[i * width + j];
            for (int l = 0; l < nx; l++) sum += F[i * width + 2 * n + l] * H[l * n + j];
            k->woven.Z[i * n + j] = -g * sum;
        }
    return OK;
}

/* Gradients of all connections, (n, WIDE), and Y and N of (2). */
static void weave_measures(Kernel *k, const RowSet *set) {
    WITH_MODEL(k);
    const Chart *c = m->chart + set->chart;
    double acting[WIDE_MOST] = {0.0};
    memset(k->woven.Y, 0, (size_t)(CONNECTIONS * WIDE) * sizeof *k->woven.Y);
    for (int i = 0; i < CONNECTIONS; i++) {
        double *ds = k->woven.ds + i * WIDE;
        const double *slope = set->slope + c->s + m->tie[i].measure;
        for (int j = 0; j < WIDE; j++) ds[j] = acting[j] = j < NZ ? slope[(size_t)j * ROWS] : 0.0;
        for (int e = 0; e < DRIVES; e++) acting[m->drive[e].axis] = 0.0;
        multiply(NZ, k->A, 1.0, acting, k->woven.Y + i * WIDE);
    }
    for (int i = 0; i < CONNECTIONS; i++)
        for (int j = 0; j < CONNECTIONS; j++) {
            double sum = 0.0;
            for (int l = 0; l < NZ; l++) sum += k->woven.ds[i * WIDE + l] * k->woven.Y[j * WIDE + l];
            k->woven.N[i * CONNECTIONS + j] = sum;
        }
}

/* All of (1) and (2) that lasts for a step, from the slopes of devices and the inverse of B. */
static int weave(Kernel *k, const RowSet *set, double g) {
    WITH_MODEL(k);
    const int n = CONNECTIONS;
    double *S = k->woven.S, *E = k->woven.E, *H = k->woven.H, *T = k->woven.T, *left = k->woven.left;
    memset(T, 0, (size_t)(n * n) * sizeof *T);
    weave_measures(k, set);
    EACH_DEVICE {
        const int own = d->connections, nx = d->states;
        int status = weave_states(k, d, g, S, E, H);
        if (status) return status;
        S += nx * nx, E += nx * own, H += nx * own;
        for (int i = 0; i < own; i++) {
            const int row = d->first_connection + i;
            memcpy(T + row * n + d->first_connection, k->woven.Z + i * own, (size_t)own * sizeof *T);
            for (int j = 0; j < n; j++) {
                double sum = row == j;
                for (int l = 0; l < own; l++) sum += k->woven.Z[i * own + l] * k->woven.N[(d->first_connection + l) * n + j];
                left[row * n + j] = sum;
            }
        }
    }
    return !n || kt_lu_solve(left, n, T, n) ? OK : singular(k);
}

/* sum (n) += A (n, columns) x */
INLINE void multiply_small(const double *A, int n, int columns, const double *x, double factor, double *sum) {
    for (int i = 0; i < n; i++) {
        double own = 0.0;
        for (int j = 0; j < columns; j++) own += A[i * columns + j] * x[j];
        sum[i] += factor * own;
    }
}

/* y (connections) = ds^T a. */
INLINE void project(const Kernel *k, const double *a, double *y) {
    WITH_MODEL(k);
    for (int i = 0; i < CONNECTIONS; i++) {
        double sum = 0.0;
        for (int j = 0; j < NZ; j++) sum += k->woven.ds[i * WIDE + j] * a[j];
        y[i] = sum;
    }
}

/* One stage: with q = S r + E y it puts f = g (F_s y + F_x q) on the measures, and what is in f already; then a, B^-1 times
 * what acts on the coordinates, becomes w, and q becomes q + H ds^T w. */
static void weave_stage(Kernel *k, double g, const double *r, const double *y, double *f, double *a, double *q) {
    WITH_MODEL(k);
    const int n = CONNECTIONS;
    const double *S = k->woven.S, *E = k->woven.E, *H = k->woven.H;
    double *along = work_of(k, ALONG), *more = work_of(k, MORE);
    EACH_DEVICE {
        const int own = d->connections, nx = d->states, first = d->first_connection;
        const double *F = k->device_F + d->slopes_at;
        double *qd = q + d->first_state;
        memset(qd, 0, (size_t)nx * sizeof *qd);
        multiply_small(S, nx, nx, r + d->first_state, 1.0, qd);
        multiply_small(E, nx, own, y + first, 1.0, qd);
        S += nx * nx, E += nx * own;
        for (int i = 0; i < own; i++, F += d->width) {
            double sum = 0.0;
            for (int j = 0; j < own; j++) sum += F[j] * y[first + j];
            for (int j = 0; j < nx; j++) sum += F[2 * own + j] * qd[j];
            f[first + i] += g * sum;
        }
    }
    project(k, a, along);
    multiply_small(k->woven.N, n, n, f, 1.0, along);
    memset(more, 0, (size_t)n * sizeof *more);
    multiply_small(k->woven.T, n, n, along, -1.0, more);
    multiply_small(k->woven.N, n, n, more, 1.0, along); /* ds^T w */
    for (int i = 0; i < n; i++)
        for (int j = 0; j < NZ; j++) a[j] += (f[i] + more[i]) * k->woven.Y[i * WIDE + j];
    EACH_DEVICE {
        multiply_small(H, d->states, d->connections, along + d->first_connection, 1.0, q + d->first_state);
        H += d->states * d->connections;
    }
}
