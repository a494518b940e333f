/* Equations of motion where the tables were read last; see dynamics.py, inputs.py and tangent.py. */
#include "internal.h"

/* A sum in four parts, which the compiler can make a vector of; n is a multiple of four. */
static inline double dot4(const double *restrict a, const double *restrict b, int n) {
    double part[KT_CHUNK] = {0};
    for (int k = 0; k < n; k += KT_CHUNK)
        for (int l = 0; l < KT_CHUNK; l++) part[l] += a[k + l] * b[k + l];
    return part[0] + part[1] + (part[2] + part[3]);
}

static inline int padded(int n) { return (n + KT_CHUNK - 1) / KT_CHUNK * KT_CHUNK; }

const char *kt_name(const Model *m, int chart, int k) {
    return k < m->nf ? m->chart[chart].axis[k].name : m->stiff[k - m->nf].name;
}

/* The inputs at the time tau after the start of a communication step.  A twist follows its rate. */
void kt_hold(kt_instance *instance, double tau, double *inputs) {
    const Model *m = &instance->model;
    memcpy(inputs, instance->inputs, (size_t)m->inputs * sizeof *inputs);
    if (tau == 0.0) return;
    if (instance->has_rates)
        for (int i = 0; i < m->inputs; i++) inputs[i] += tau * instance->rates[i];
    if (m->moving)
        for (int i = 0; i < 6; i++) {
            double rate = instance->inputs[m->twist_rate + i], second = instance->rates[m->twist_rate + i];
            inputs[m->twist + i] = instance->inputs[m->twist + i] + tau * (rate + 0.5 * tau * second);
        }
}

/* Measures and their rates, per element. */
void kt_measure(kt_instance *instance, int lap, const double *zd) {
    const Model *m = &instance->model;
    const Chart *c = m->chart + instance->read_chart;
    double *rate = instance->measure_force; /* until the forces are known */
    for (int i = 0; i < m->measures; i++) rate[i] = zd[0] * slot(instance, 1)[c->s + i];
    for (int k = 1; k < m->nz; k++) {
        const double *ds = slot(instance, 1 + k) + c->s;
        for (int i = 0; i < m->measures; i++) rate[i] += zd[k] * ds[i];
    }
    const double *s = slot(instance, 0) + c->s;
    for (int e = 0; e < m->elements; e++) {
        instance->s[e] = s[m->element[e].measure] + lap * m->element[e].lap;
        instance->sdot[e] = rate[m->element[e].measure];
    }
}

/* Forces per element and per measure, from `kt_measure`. */
void kt_forces(kt_instance *instance) {
    const Model *m = &instance->model;
    double *f = instance->element_force, *on = instance->measure_force;
    const double *s = instance->s, *sdot = instance->sdot;
    for (int e = 0; e < m->elements; e++) {
        const Element *element = m->element + e;
        f[e] = 0.0;
        for (int l = 0; l < element->laws; l++)
            f[e] += kt_law_force(element->law + l, instance->parameters, s[e], sdot[e]);
    }
    for (int i = 0; i < m->couplings; i++) {
        const Coupling *pair = m->coupling + i;
        double k = instance->parameters[pair->stiffness], d = instance->parameters[pair->damping];
        f[pair->a] -= k * s[pair->b] + d * sdot[pair->b];
        f[pair->b] -= k * s[pair->a] + d * sdot[pair->a];
    }
    for (int i = 0; i < m->measures; i++) on[i] = 0.0;
    for (int e = 0; e < m->elements; e++) on[m->element[e].measure] += f[e];
}

/* Q (nz) of gravity, laws, ports and generalized forces, from `kt_forces`. */
void kt_generalized(kt_instance *instance, const double *inputs, double *Q) {
    const Model *m = &instance->model;
    const Chart *c = m->chart + instance->read_chart;
    double *load = instance->load; /* on S, positions of ports, measures */
    int rows = m->loads_rows, at_measures = c->s - c->S;
    for (int i = 0; i < 3; i++) load[i] = instance->parameters[m->gravity[i]];
    for (int i = 3; i < at_measures; i++) load[i] = 0.0;
    for (int p = 0; p < m->ports; p++)
        for (int i = 0; i < 3; i++) load[c->marker[m->port[p]].r - c->S + i] += inputs[m->loads + 6 * p + i];
    for (int i = 0; i < m->measures; i++) load[at_measures + i] = instance->measure_force[i];
    for (int k = 0; k < m->nz; k++) Q[k] = dot4(slot(instance, 1 + k) + c->S, load, padded(rows));
    for (int p = 0; p < m->ports && instance->moments; p++) {
        const double *A = slot(instance, 0) + c->marker[m->port[p]].A;
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < m->nz; k++) Q[k] += A[i * m->nz + k] * inputs[m->loads + 6 * p + 3 + i];
    }
    if (m->charts == 1) {
        for (int i = 0; i < m->forced; i++) Q[m->forced_axis[i]] += inputs[i];
    } else {
        const double *G = slot(instance, 0) + c->G;
        for (int i = 0; i < m->forced; i++)
            for (int k = 0; k < m->nz; k++) Q[k] += inputs[i] * G[i * m->nz + k];
    }
}

/* force -= (d/dt J) u - 1/2 u (dJ/dz) u, from the upper triangle of J row by row. */
static void subtract_quadratic(kt_instance *instance, const double *zd, const double *u, double *force) {
    const Model *m = &instance->model;
    int nz = m->nz, n = nz * (nz + 1) / 2, wide = padded(n), at = m->chart[instance->read_chart].J;
    double *rate = instance->packed, *weights = instance->weights;
    if (nz == 1) {
        double slope = slot(instance, 1)[at];
        force[0] -= slope * u[0] * (zd[0] - 0.5 * u[0]);
        return;
    }
    for (int i = 0, e = 0; i < nz; i++)
        for (int j = i; j < nz; j++) weights[e++] = (i == j ? 0.5 : 1.0) * u[i] * u[j];
    for (int k = 0; k < nz; k++) {
        const double *dJ = slot(instance, 1 + k) + at;
        force[k] += dot4(dJ, weights, wide);
        if (k == 0)
            for (int e = 0; e < wide; e++) rate[e] = zd[k] * dJ[e];
        else
            for (int e = 0; e < wide; e++) rate[e] += zd[k] * dJ[e];
    }
    for (int i = 0, e = 0; i < nz; i++) {
        force[i] -= rate[e++] * u[i];
        for (int j = i + 1; j < nz; j++, e++) {
            force[i] -= rate[e] * u[j];
            force[j] -= rate[e] * u[i];
        }
    }
}

/* Q + Q_frame - c, (nz); u (nz) is zd without the rates of what has no inertia. */
void kt_moving_force(kt_instance *instance, int lap, const double *zd, const double *u, const double *inputs,
                     double *force) {
    const Model *m = &instance->model;
    kt_measure(instance, lap, zd);
    kt_forces(instance);
    kt_generalized(instance, inputs, force);
    subtract_quadratic(instance, zd, u, force);
    if (m->moving) kt_frame_force(instance, inputs + m->twist, inputs + m->twist_rate, zd, u, force);
}

static double drive_acceleration(const Drive *drive, const double *z, const double *zd, const double *inputs) {
    double T = drive->filter_time;
    if (T == 0.0) return inputs[drive->first + 2];
    return (inputs[drive->first] - z[drive->axis]) / (T * T) - 2.0 * zd[drive->axis] / T;
}

static int diverged(kt_instance *instance, int n, const double *zdd) {
    for (int i = 0; i < n; i++)
        if (!isfinite(zdd[i]))
            return kt_fail(instance, FAILED,
                           "the motion diverged: the acceleration of '%s' is %g; reduce 'solver.step' or check the "
                           "forces and rates",
                           kt_name(&instance->model, instance->read_chart, i), zdd[i]);
    return OK;
}

static int bad_inertia(kt_instance *instance, int i, double pivot) {
    return kt_fail(instance, FAILED,
                   "the inertia of '%s' is %.6g: it must be positive; a coordinate is too far outside its table, or "
                   "the bodies that it moves have no mass",
                   kt_name(&instance->model, instance->read_chart, i), pivot);
}

/* Accelerations of the first n coordinates from what accelerates them (n); those of driven ones are known. */
int kt_solve_motion(kt_instance *instance, int n, const double *z, const double *zd, const double *force,
                    const double *inputs, double *zdd) {
    const Model *m = &instance->model;
    const double *J = slot(instance, 0) + m->chart[instance->read_chart].J;
    int nz = m->nz, others[KT_MOST_Z], count = 0, driven[KT_MOST_AXES];
    if (nz == 1 && m->drives == 0) {
        if (!(J[0] > 0.0 && J[0] < HUGE_VAL)) return bad_inertia(instance, 0, J[0]);
        zdd[0] = force[0] / J[0];
        return isfinite(zdd[0]) ? OK : diverged(instance, 1, zdd);
    }
    for (int k = 0, d = 0; k < n; k++) {
        if (d < m->drives && m->drive[d].axis == k) {
            zdd[k] = drive_acceleration(m->drive + d, z, zd, inputs);
            driven[d++] = k;
        } else
            others[count++] = k;
    }
    double *a = instance->factor, *inverse = instance->stage[8], *x = instance->stage[9];
#define J_AT(i, j) ((i) <= (j) ? J[(i) * nz - (i) * ((i) - 1) / 2 + (j) - (i)] : J[(j) * nz - (j) * ((j) - 1) / 2 + (i) - (j)])
    for (int i = 0; i < count; i++) {
        for (int j = 0; j <= i; j++) a[i * count + j] = J_AT(others[j], others[i]);
        x[i] = force[others[i]];
        for (int d = 0; d < m->drives; d++) x[i] -= J_AT(others[i], driven[d]) * zdd[driven[d]];
    }
    int fault = kt_ldl(a, count, inverse);
    if (fault >= 0) return bad_inertia(instance, others[fault], inverse[fault]);
    kt_ldl_solve(a, count, inverse, x);
    double sum = 0.0;
    for (int i = 0; i < count; i++) zdd[others[i]] = x[i];
    for (int i = 0; i < n; i++) sum += zdd[i];
    return isfinite(sum) ? OK : diverged(instance, n, zdd);
}

/* Reads the tables and solves for zdd (nz). */
int kt_acceleration(kt_instance *instance, const State *at, const double *inputs, double *zdd) {
    const Model *m = &instance->model;
    int status = kt_read(instance, at->chart, at->z, instance->moments ? 1 << MOTION | 1 << MOMENTS : 1 << MOTION);
    if (status) return status;
    double *force = instance->stage[7];
    kt_moving_force(instance, at->lap, at->zd, at->zd, inputs, force);
    return kt_solve_motion(instance, m->nz, at->z, at->zd, force, inputs, zdd);
}

/* Kinetic, gravity, springs [J]. */
void kt_energies(kt_instance *instance, int lap, const double *u, double energy[3]) {
    const Model *m = &instance->model;
    const Chart *c = m->chart + instance->read_chart;
    const double *J = slot(instance, 0) + c->J, *S = slot(instance, 0) + c->S, *s = slot(instance, 0) + c->s;
    energy[0] = energy[1] = energy[2] = 0.0;
    for (int i = 0, e = 0; i < m->nz; i++)
        for (int j = i; j < m->nz; j++) energy[0] += (i == j ? 0.5 : 1.0) * J[e++] * u[i] * u[j];
    for (int i = 0; i < 3; i++) energy[1] -= S[i] * instance->parameters[m->gravity[i]];
    for (int e = 0; e < m->elements; e++) {
        const Element *element = m->element + e;
        double at = s[element->measure] + lap * element->lap;
        for (int l = 0; l < element->laws; l++)
            energy[2] += kt_law_potential(element->law + l, instance->parameters, at);
    }
    for (int i = 0; i < m->couplings; i++) {
        const Element *a = m->element + m->coupling[i].a, *b = m->element + m->coupling[i].b;
        energy[2] += instance->parameters[m->coupling[i].stiffness] * (s[a->measure] + lap * a->lap) *
                     (s[b->measure] + lap * b->lap);
    }
}
