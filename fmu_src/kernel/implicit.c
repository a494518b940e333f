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
    const double *rate = instance->packed;
    double *B = instance->matrix;
    instance->hot->momenta(slot(instance, 1) + at, m->most_rows, zd, nz, w, B);
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

/* Stage i where there are driven coordinates, or the matrix is not positive definite. */
static int solve(kt_instance *instance, const Stages *s, int i, int definite) {
    const Model *m = &instance->model;
    int nz = m->nz, wide = instance->wide;
    double own[KT_MOST_AXES], *right = s->right, *w = s->w + i * wide;
    for (int d = 0; d < m->drives; d++) {
        int k = m->drive[d].axis;
        double T = m->drive[d].filter_time, C = T != 0.0 ? 2.0 / T : 0.0, K = T != 0.0 ? 1.0 / (T * T) : 0.0;
        own[d] = s->g * (s->zdd[k] + s->y[k] - s->g * K * s->x[k]) / (1.0 + s->g * C + s->g * s->g * K);
        for (int e = 0; e < nz; e++) right[e] -= instance->C[k * wide + e] * own[d];
    }
    for (int d = 0; d < m->drives; d++) right[m->drive[d].axis] = own[d];
    if (definite)
        instance->hot->multiply(instance->matrix, nz, wide, 1.0, right, w);
    else { /* a falling characteristic */
        copy_matrix(instance, 1, instance->factor);
        for (int a = 0; a < nz; a++)
            for (int b = 0; b < a; b++) swap(instance->factor + a * nz + b, instance->factor + b * nz + a);
        if (!kt_lu_solve(instance->factor, nz, right, 1))
            return kt_fail(instance, FAILED,
                           "the matrix of an implicit step is singular: a stiffness or damping is negative or not "
                           "finite; check the parameters of the springs and bushings");
        memcpy(w, right, (size_t)nz * sizeof *w);
    }
    for (int k = 0; k < nz; k++) s->p[i * wide + k] = s->g * (s->x[k] + w[k]);
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

/* to (nz) += the stages with their weights */
static void add_stages(const double *stages, const double *weights, int count, int nz, int wide, double *to) {
    for (int i = 0; i < count; i++)
        for (int k = 0; k < nz && weights[i] != 0.0; k++) to[k] += weights[i] * stages[i * wide + k];
}

int kt_implicit_step(kt_instance *instance, State *state, double tau, double h) {
    int nz = instance->model.nz, wide = instance->wide, status;
    double **v = instance->stage, *z = v[0];
    Stages s = {.n = nz, .wide = wide, .g = GAMMA * h, .M = instance->M, .K = instance->K, .zd = v[1], .zdd = v[2],
                .force = v[3], .x = v[4], .y = v[6], .right = v[8], .p = instance->p, .w = instance->w};
    for (int i = 0; i < KT_STAGES; i++)
        for (int j = 0; j < i; j++) s.before[i][j] = BEFORE[i][j] / h;
    State at = {state->chart, state->lap, z, s.zd};
    memcpy(z, state->z, (size_t)nz * sizeof *z);
    memcpy(s.zd, state->zd, (size_t)nz * sizeof *z);
    if ((status = start(instance, &at, kt_inputs_at(instance, tau), s.force, s.zdd))) return status;
    int definite = factorize(instance, s.g), plain = definite && !instance->model.drives;
    s.inverse = plain ? instance->matrix : NULL;
    for (int i = 0; i < KT_STAGES; i++) {
        if (i == FIRST) { /* (2) */
            add_stages(s.p, POINT, FIRST, nz, wide, z);
            add_stages(s.w, POINT, FIRST, nz, wide, s.zd);
            status = kt_acceleration(instance, &at, kt_inputs_at(instance, tau + LATER * h), s.zdd);
            if (status) return status;
            memset(s.force, 0, (size_t)wide * sizeof *s.force);
            instance->hot->multiply(instance->M, nz, wide, 1.0, s.zdd, s.force);
        }
        instance->hot->stage(&s, i);
        if (!plain && (status = solve(instance, &s, i, definite))) return status;
    }
    add_stages(s.p, WEIGHT, KT_STAGES, nz, wide, state->z);
    add_stages(s.w, WEIGHT, KT_STAGES, nz, wide, state->zd);
    return OK;
}
