/* Linearly implicit steps of models with stiff coordinates; see rosenbrock.py, whose equations are named here. */
#include "internal.h"

#define GAMMA 0.5
#define LATER (2.0 / 3.0) /* the time of the second evaluation, in steps */
#define FIRST 2           /* stages that use the first evaluation */

static const double POINT[FIRST] = {4.0 / 3.0, 4.0 / 9.0};
static const double BEFORE[KT_STAGES][KT_STAGES] = {{0},
                                                    {-2.0},
                                                    {0.0, -32.0 / 9.0},
                                                    {0.0, -22.0 / 9.0, -1.0 / 2.0},
                                                    {4.0 / 9.0, -110.0 / 81.0, 0.0, -8.0 / 9.0}};
static const double WEIGHT[KT_STAGES] = {0.0, 11.0 / 4.0, 0.0, 0.0, 9.0 / 4.0};

/* C^T += (d/dt J + B - B^T)^T, equation (3) of tangent.py; the rates of J are those of `kt_moving_force`. */
static void add_rates(kt_instance *instance, const double *zd, double *C) {
    const Model *m = &instance->model;
    int nz = m->nz, w = instance->wide, at = m->chart[instance->read_chart].J;
    const double *slope = instance->inertia_slopes, *rate = instance->packed;
    double *B = instance->matrix;
    instance->hot->transpose(slot(instance, 1) + at, m->most_rows, nz * (nz + 1) / 2, nz, w, instance->inertia_slopes);
    instance->hot->momenta(slope, zd, nz, w, B);
    for (int i = 0; i < nz; i++)
        for (int j = i; j < nz; j++, rate++) {
            double apart = B[j * w + i] - B[i * w + j];
            C[i * w + j] += *rate + apart;
            if (j > i) C[j * w + i] += *rate - apart;
        }
}

/* M, K and the transpose of C near the state where the tables were read last. */
static void linearize(kt_instance *instance, const double *zd) {
    const Model *m = &instance->model;
    int nz = m->nz, w = instance->wide;
    const double *J = slot(instance, 0) + m->chart[instance->read_chart].J;
    for (int i = 0; i < nz; i++)
        for (int j = i; j < nz; j++, J++) instance->M[i * w + j] = instance->M[j * w + i] = *J;
    kt_tangents(instance, instance->K, instance->C);
    add_rates(instance, zd, instance->C);
}

/* The transpose of the matrix of equation (4), (nz, nz) or, if not `packed`, (nz, wide).  Driven coordinates have equations
 * of their own, so here they have ones in the diagonal. */
static void copy_matrix(const kt_instance *instance, int packed, double *to) {
    const Model *m = &instance->model;
    int nz = m->nz, w = packed ? nz : instance->wide;
    for (int i = 0; i < nz; i++) memcpy(to + i * w, instance->C + i * instance->wide, (size_t)w * sizeof *to);
    for (int d = 0; d < m->drives; d++)
        for (int i = 0, k = m->drive[d].axis; i < nz; i++) to[i * w + k] = to[k * w + i] = i == k;
}

/* C becomes the transpose of the matrix of equation (4), instance->matrix its inverse; 0 if it is not positive definite. */
static int factorize(kt_instance *instance, double g) {
    int nz = instance->model.nz, w = instance->wide;
    double *C = instance->C, bad;
    for (int i = 0; i < nz * w; i++) C[i] = instance->M[i] + g * (C[i] + g * instance->K[i]);
    copy_matrix(instance, 0, instance->matrix);
    return instance->hot->invert(instance->matrix, nz, w, &bad) < 0;
}

static void swap(double *a, double *b) {
    double keep = *a;
    *a = *b;
    *b = keep;
}

/* w from the right side of equation (4), which is lost; x = zd + P and y = zdd + W serve driven coordinates. */
static int solve(kt_instance *instance, int definite, double g, const double *x, const double *y, double *right, double *w) {
    const Model *m = &instance->model;
    int nz = m->nz, wide = instance->wide;
    double own[KT_MOST_AXES];
    for (int d = 0; d < m->drives; d++) {
        int k = m->drive[d].axis;
        double T = m->drive[d].filter_time, C = T != 0.0 ? 2.0 / T : 0.0, K = T != 0.0 ? 1.0 / (T * T) : 0.0;
        own[d] = g * (y[k] - g * K * x[k]) / (1.0 + g * C + g * g * K);
        for (int i = 0; i < nz; i++) right[i] -= instance->C[k * wide + i] * own[d];
    }
    for (int d = 0; d < m->drives; d++) right[m->drive[d].axis] = own[d];
    memset(w, 0, (size_t)wide * sizeof *w);
    if (definite) {
        instance->hot->multiply(instance->matrix, nz, wide, 1.0, right, w);
        return OK;
    }
    copy_matrix(instance, 1, instance->factor); /* a falling characteristic */
    for (int i = 0; i < nz; i++)
        for (int j = 0; j < i; j++) swap(instance->factor + i * nz + j, instance->factor + j * nz + i);
    if (!kt_lu_solve(instance->factor, nz, right, 1))
        return kt_fail(instance, FAILED,
                       "the matrix of an implicit step is singular: a stiffness or damping is negative or not "
                       "finite; check the parameters of the springs and bushings");
    memcpy(w, right, (size_t)nz * sizeof *w);
    return OK;
}

/* What accelerates the coordinates at the start of a step, and M, K and C there. */
static int start(kt_instance *instance, const State *at, const double *inputs, double *force, double *zdd) {
    const Model *m = &instance->model;
    int status = kt_read(instance, at->chart, at->z, instance->needs);
    if (status) return status;
    kt_moving_force(instance, at->lap, at->zd, at->zd, inputs, force);
    double sum = 0.0;
    for (int k = 0; k < m->nz; k++) sum += force[k];
    if (!isfinite(sum)) return kt_solve_motion(instance, m->nz, at->z, at->zd, force, inputs, zdd); /* it says so */
    for (int d = 0; d < m->drives; d++)
        zdd[m->drive[d].axis] = kt_drive_acceleration(m->drive + d, at->z, at->zd, inputs);
    linearize(instance, at->zd);
    return OK;
}

int kt_implicit_step(kt_instance *instance, State *state, double tau, double h) {
    const Hot *hot = instance->hot;
    int nz = instance->model.nz, wide = instance->wide;
    const double g = GAMMA * h;
    double *z = instance->stage[0], *zd = instance->stage[1], *zdd = instance->stage[2], *x = instance->stage[3];
    double *y = instance->stage[4], *right = instance->stage[6], *force = instance->stage[7];
    State at = {state->chart, state->lap, z, zd};
    memcpy(z, state->z, (size_t)nz * sizeof *z);
    memcpy(zd, state->zd, (size_t)nz * sizeof *z);
    int status = start(instance, &at, kt_inputs_at(instance, tau), force, zdd);
    if (status) return status;
    int definite = factorize(instance, g);
    for (int i = 0; i < KT_STAGES; i++) {
        if (i == FIRST) { /* (2) */
            for (int j = 0; j < FIRST; j++)
                for (int k = 0; k < nz; k++) {
                    z[k] += POINT[j] * instance->p[j * wide + k];
                    zd[k] += POINT[j] * instance->w[j * wide + k];
                }
            status = kt_acceleration(instance, &at, kt_inputs_at(instance, tau + LATER * h), zdd);
            if (status) return status;
            for (int k = 0; k < nz; k++) force[k] = 0.0;
            hot->multiply(instance->M, nz, wide, 1.0, zdd, force);
        }
        for (int k = 0; k < nz; k++) {
            x[k] = zd[k];
            y[k] = 0.0;
            right[k] = g * force[k];
        }
        for (int j = 0; j < i; j++)
            for (int k = 0; k < nz && BEFORE[i][j] != 0.0; k++) { /* (3) */
                x[k] += BEFORE[i][j] / h * instance->p[j * wide + k];
                y[k] += BEFORE[i][j] / h * instance->w[j * wide + k];
            }
        if (i) hot->multiply(instance->M, nz, wide, g, y, right);
        hot->multiply(instance->K, nz, wide, -g * g, x, right);
        for (int d = 0; d < instance->model.drives; d++) y[instance->model.drive[d].axis] += zdd[instance->model.drive[d].axis];
        status = solve(instance, definite, g, x, y, right, instance->w + i * wide);
        if (status) return status;
        for (int k = 0; k < nz; k++) instance->p[i * wide + k] = g * (x[k] + instance->w[i * wide + k]); /* (3) */
    }
    for (int i = 0; i < KT_STAGES; i++)
        for (int k = 0; k < nz && WEIGHT[i] != 0.0; k++) {
            state->z[k] += WEIGHT[i] * instance->p[i * wide + k];
            state->zd[k] += WEIGHT[i] * instance->w[i * wide + k];
        }
    return OK;
}
