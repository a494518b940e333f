/* A moving ground: what its motion does to the mechanism, and the mechanism to it; see ground.py. */
#include "internal.h"

static const int SYMMETRIC[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}}; /* entries of I among xx, yy, zz, xy, xz, yz */

static void cross(const double *a, const double *b, double *c) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* force += equation (2) of ground.py */
void kt_frame_force(kt_instance *instance, const double *V, const double *Vd, const double *zd, const double *u,
                    double *force) {
    const Model *m = &instance->model;
    const Chart *c = m->chart + instance->read_chart;
    const double *N = slot(instance, 0) + c->N, *w = V, *v = V + 3;
    int nz = m->nz;
    double vw[3];
    cross(v, w, vw);
    for (int k = 0; k < nz; k++)
        for (int i = 0; i < 6; i++) force[k] -= Vd[i] * N[i * nz + k];
    for (int j = 0; j < nz; j++) {
        const double *dN = slot(instance, 1 + j) + c->N, *dI = slot(instance, 1 + j) + c->I, *dS = slot(instance, 1 + j);
        for (int k = 0; k < nz; k++) {
            double turned = 0.0; /* V . d_j N_k */
            for (int i = 0; i < 6; i++) turned += V[i] * dN[i * nz + k];
            force[j] += turned * u[k];
            force[k] -= zd[j] * turned;
        }
        for (int i = 0; i < 3; i++) {
            force[j] += dS[c->S[i]] * vw[i];
            for (int k = 0; k < 3; k++) force[j] += 0.5 * w[i] * dI[SYMMETRIC[i][k]] * w[k];
        }
    }
}

/* C (nz, wide), the transpose, += equation (4) of tangent.py with the other sign */
void kt_add_turning(kt_instance *instance, const double *V, double *C) {
    const Model *m = &instance->model;
    int nz = m->nz, w = instance->wide, at = m->chart[instance->read_chart].N;
    for (int j = 0; j < nz; j++)
        for (int k = 0; k < nz; k++) {
            const double *dN = slot(instance, 1 + j) + at;
            double turned = 0.0; /* V . d_j N_k */
            for (int i = 0; i < 6; i++) turned += V[i] * dN[i * nz + k];
            C[k * w + j] -= turned;
            C[j * w + k] += turned;
        }
}

typedef struct { double mass, S[3], I[6]; const double *N; } Body;

/* h += [I w + S x v; m v + w x S] + N u */
static void add_momentum(const Body *b, int nz, const double *V, const double *u, double *h) {
    double Sv[3], wS[3];
    cross(b->S, V + 3, Sv);
    cross(V, b->S, wS);
    for (int i = 0; i < 3; i++) {
        h[i] += Sv[i];
        for (int k = 0; k < 3; k++) h[i] += b->I[SYMMETRIC[i][k]] * V[k];
        h[3 + i] += b->mass * V[3 + i] + wS[i];
    }
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < nz; k++) h[i] += b->N[i * nz + k] * u[k];
}

/* Moment about the origin and force that the mechanism exerts on the chassis, equation (3) of ground.py. */
void kt_chassis_wrench(kt_instance *instance, const Instant *now, const double *inputs, double wrench[6]) {
    const Model *m = &instance->model;
    const Chart *c = m->chart + instance->read_chart;
    int nz = m->nz;
    const double *V = inputs + m->twist, *Vd = inputs + m->twist_rate, *w = V, *v = V + 3;
    double h[6] = {0}, hdot[6] = {0}, gravity[3], part[3];
    double *Ndot = instance->factor; /* (6, nz), free here */
    Body body = {m->mass, {0}, {0}, slot(instance, 0) + c->N}, rate = {0.0, {0}, {0}, Ndot};
    for (int i = 0; i < 3; i++) body.S[i] = slot(instance, 0)[c->S[i]];
    memcpy(body.I, slot(instance, 0) + c->I, sizeof body.I);
    memset(Ndot, 0, 6 * (size_t)nz * sizeof *Ndot);
    for (int k = 0; k < nz; k++) {
        const double *d = slot(instance, 1 + k);
        for (int i = 0; i < 3; i++) rate.S[i] += now->zd[k] * d[c->S[i]];
        for (int i = 0; i < 6; i++) rate.I[i] += now->zd[k] * d[c->I + i];
        for (int i = 0; i < 6 * nz; i++) Ndot[i] += now->zd[k] * d[c->N + i];
    }
    add_momentum(&body, nz, V, now->u, h);
    add_momentum(&body, nz, Vd, now->zdd, hdot);
    add_momentum(&rate, nz, V, now->u, hdot);
    for (int i = 0; i < 3; i++) gravity[i] = instance->parameters[m->gravity[i]];
    cross(body.S, gravity, wrench);
    for (int i = 0; i < 3; i++) wrench[3 + i] = m->mass * gravity[i];
    for (int p = 0; p < m->ports; p++) {
        const double *F = inputs + m->loads + 6 * p, *M = F + 3;
        cross(slot(instance, 0) + c->marker[m->port[p]].r, F, part);
        for (int i = 0; i < 3; i++) {
            wrench[i] += M[i] + part[i];
            wrench[3 + i] += F[i];
        }
    }
    for (int i = 0; i < 6; i++) wrench[i] -= hdot[i];
    cross(w, h, part);
    for (int i = 0; i < 3; i++) wrench[i] -= part[i];
    cross(v, h + 3, part);
    for (int i = 0; i < 3; i++) wrench[i] -= part[i];
    cross(w, h + 3, part);
    for (int i = 0; i < 3; i++) wrench[3 + i] -= part[i];
}
