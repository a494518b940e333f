/* Stiff coordinates without inertia: deflections that follow the forces at once; see quasistatic.py. */
#include "internal.h"

#define MOST_ITERATIONS 30
#define TOLERANCE 1e-12 /* of deflection and radius together */

/* Rows of the stiff coordinates of K = -dQ/dz without rates, (ns, nz); the loads are those of `kt_generalized`. */
static void stiffness(kt_instance *instance, const double *inputs, double *K) {
    const Model *m = &instance->model;
    const Chart *c = m->chart + instance->read_chart;
    int nf = m->nf, ns = m->ns, nz = m->nz;
    double *all = instance->M; /* (nz, wide) */
    kt_tangents(instance, 0, all, NULL);
    for (int i = 0; i < ns; i++) memcpy(K + i * nz, all + (nf + i) * instance->wide, (size_t)nz * sizeof *K);
    kt_add_curvature(instance, K);
    for (int k = 0; k < nz; k++) {
        const double *Z = slot(instance, 1 + k);
        for (int i = 0; i < ns; i++) {
            for (int p = 0; p < m->ports && instance->moments; p++)
                for (int a = 0; a < 3; a++)
                    K[i * nz + k] -= inputs[m->loads + 6 * p + 3 + a] * Z[c->marker[m->port[p]].A + a * nz + nf + i];
            for (int a = 0; a < 6 && m->moving; a++) K[i * nz + k] += inputs[m->twist_rate + a] * Z[c->N + a * nz + nf + i];
        }
    }
}

static int not_found(kt_instance *instance, const double *d) {
    const Model *m = &instance->model;
    int worst = 0;
    for (int i = 1; i < m->ns; i++)
        if (fabs(d[i]) / m->stiff[i].radius > fabs(d[worst]) / m->stiff[worst].radius) worst = i;
    const Stiff *s = m->stiff + worst;
    return kt_fail(instance, FAILED,
                   "no static equilibrium of the stiff coordinates was found; '%s' went to %.6g %s, its tables hold up "
                   "to %.6g: check that every stiff coordinate is held by a bushing with a stiffness above zero, and "
                   "the loads",
                   s->name, d[worst], s->unit, s->radius);
}

int kt_relax(kt_instance *instance, int chart, double *z, double *zd, double *u, const double *inputs) {
    const Model *m = &instance->model;
    int nf = m->nf, ns = m->ns, nz = m->nz, columns = 1 + nf;
    double *K = instance->K, *a = instance->matrix, *right = instance->factor, *Q = instance->stage[6];
    double still[KT_MOST_Z] = {0};
    int enough = m->moving ? 2 : 1, found = 0; /* where convergence is only linear, one step more */
    for (int iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
        int status = kt_read(instance, chart, z, instance->needs & ~(1 << INERTIA));
        if (status) return status;
        kt_forces(instance, 0, still, 0);
        kt_generalized(instance, still, inputs, Q);
        if (m->moving) kt_frame_force(instance, inputs + m->twist, inputs + m->twist_rate, still, still, Q);
        stiffness(instance, inputs, K);
        for (int i = 0; i < ns; i++) {
            for (int k = 0; k < ns; k++) a[i * ns + k] = K[i * nz + nf + k];
            right[i * columns] = Q[nf + i];
            for (int k = 0; k < nf; k++) right[i * columns + 1 + k] = -K[i * nz + k];
        }
        if (!kt_lu_solve(a, ns, right, columns)) break;
        int small = 1, sound = 1;
        for (int i = 0; i < ns; i++) {
            double step = right[i * columns];
            sound &= isfinite(step) != 0;
            small &= fabs(step) <= TOLERANCE * (fabs(z[nf + i]) + m->stiff[i].radius);
        }
        if (!sound) break;
        found += small;
        for (int i = 0; i < ns && found < enough; i++) z[nf + i] += right[i * columns];
        if (found < enough) continue;
        for (int i = 0; i < ns; i++) {
            zd[nf + i] = 0.0;
            for (int k = 0; k < nf; k++) zd[nf + i] += right[i * columns + 1 + k] * zd[k];
        }
        for (int k = 0; k < nz; k++) u[k] = k < nf ? zd[k] : 0.0;
        return OK;
    }
    return not_found(instance, z + nf);
}
