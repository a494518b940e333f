/* Equations of motion where the tables were read last; see dynamics.py, inputs.py and tangent.py. */
#include "internal.h"

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

/* Loads on rows: gravity on S, forces on ports, forces of `kt_forces` on measures that are not steady. */
static void set_loads(kt_instance *instance, const double *inputs) {
    const Model *m = &instance->model;
    const Chart *c = m->chart + instance->read_chart;
    double *load = instance->load;
    kt_find_steady(instance);
    for (int i = c->loads; i < c->s; i++) load[i] = 0.0;
    for (int i = 0; i < 3; i++)
        if (c->S[i] < c->s) load[c->S[i]] = instance->parameters[m->gravity[i]];
    for (int p = 0; p < m->ports; p++)
        for (int i = 0; i < 3; i++) load[c->marker[m->port[p]].r + i] += inputs[m->loads + 6 * p + i];
    for (int i = 0; i < m->active; i++) load[c->s + i] = instance->measure_force[i];
}

/* Q (nz) += gravity across, moments, generalized forces. */
static void add_others(kt_instance *instance, const double *inputs, double *Q) {
    const Model *m = &instance->model;
    const Chart *c = m->chart + instance->read_chart;
    int nz = m->nz;
    for (int i = 0; i < 3 && instance->across; i++)
        for (int k = 0; k < nz && c->S[i] >= c->s; k++)
            Q[k] += instance->parameters[m->gravity[i]] * slot(instance, 1 + k)[c->S[i]];
    for (int p = 0; p < m->ports && instance->moments; p++) {
        const double *A = slot(instance, 0) + c->marker[m->port[p]].A;
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < nz; k++) Q[k] += A[i * nz + k] * inputs[m->loads + 6 * p + 3 + i];
    }
    if (m->charts == 1) {
        for (int i = 0; i < m->forced; i++) Q[m->forced_axis[i]] += inputs[i];
    } else {
        const double *G = slot(instance, 0) + c->G;
        for (int i = 0; i < m->forced; i++)
            for (int k = 0; k < nz; k++) Q[k] += inputs[i] * G[i * nz + k];
    }
}

/* Q (nz) of gravity, laws, ports and generalized forces, from `kt_forces`. */
void kt_generalized(kt_instance *instance, const double *zd, const double *inputs, double *Q) {
    const Model *m = &instance->model;
    const Chart *c = m->chart + instance->read_chart;
    int nz = m->nz, at = c->loads / KT_CHUNK * KT_CHUNK; /* whole chunks: what is not read now may not be finite */
    set_loads(instance, inputs);
    instance->hot->dots(slot(instance, 1) + at, m->most_rows, instance->load + at, padded(c->loads + m->loads_rows) - at, nz,
                        Q);
    if (m->steady) {
        for (int k = 0; k < nz; k++) Q[k] += instance->Q0[k];
        instance->hot->multiply(instance->K0, nz, instance->wide, -1.0, instance->read_z, Q);
        instance->hot->multiply(instance->C0, nz, instance->wide, -1.0, zd, Q);
    }
    add_others(instance, inputs, Q);
}

/* force -= (d/dt J) u - 1/2 u (dJ/dz) u, from the upper triangle of J row by row. */
static void subtract_quadratic(kt_instance *instance, const double *zd, const double *u, double *force) {
    const Model *m = &instance->model;
    int nz = m->nz, at = m->chart[instance->read_chart].J;
    if (nz == 1) {
        force[0] -= slot(instance, 1)[at] * u[0] * (zd[0] - 0.5 * u[0]);
        return;
    }
    instance->hot->quadratic(slot(instance, 1) + at, m->most_rows, zd, u, nz, instance->wide, instance->packed,
                             instance->weights, instance->factor, force);
}

static Line line_at(const kt_instance *instance, const Chart *c, const Block *b) {
    int g = b->grid[0];
    const double *N = instance->basis + (size_t)g * 2 * (size_t)c->width;
    const double *from = b->coefficients + b->begin[INERTIA] + (size_t)instance->span[g] * b->stride[0];
    return (Line){from, N, N + c->width, b->stride[0], c->grid[g].degree};
}

/* `kt_generalized` and `subtract_quadratic` at once. */
static void force_in_registers(kt_instance *instance, const double *zd, const double *u, const double *inputs,
                               double *force) {
    const Model *m = &instance->model;
    const Chart *c = m->chart + instance->read_chart;
    set_loads(instance, inputs);
    Force12 all = {.n = m->nz, .axes = m->nf, .bent = m->bent_inertia, .inertia = c->loads,
                   .end = padded(c->loads + m->loads_rows), .rows = m->most_rows, .entries = instance->entries,
                   .slots = slot(instance, 1), .load = instance->load, .z = instance->read_z, .zd = zd, .u = u,
                   .Q0 = m->steady ? instance->Q0 : NULL, .K0 = instance->K0, .C0 = instance->C0,
                   .J = slot(instance, 0), .rate = instance->packed, .force = force};
    if (!(instance->rows_read >> INERTIA & 1)) { /* a midpoint step leaves it out where there are such blocks */
        all.unread = c->end[INERTIA] / KT_CHUNK;
        all.rest = line_at(instance, c, c->rest);
        all.each = line_at(instance, c, c->each);
    }
    instance->hot->force_12(&all);
    add_others(instance, inputs, force);
}

/* Q + Q_frame - c, (nz); u (nz) is zd without the rates of what has no inertia. */
void kt_moving_force(kt_instance *instance, int lap, const double *zd, const double *u, const double *inputs,
                     double *force) {
    const Model *m = &instance->model;
    kt_forces(instance, lap, zd, 0);
    if (instance->entries) force_in_registers(instance, zd, u, inputs, force);
    else {
        kt_generalized(instance, zd, inputs, force);
        subtract_quadratic(instance, zd, u, force);
    }
    if (m->moving) kt_frame_force(instance, inputs + m->twist, inputs + m->twist_rate, zd, u, force);
}

double kt_drive_acceleration(const Drive *drive, const double *z, const double *zd, const double *inputs) {
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
            zdd[k] = kt_drive_acceleration(m->drive + d, z, zd, inputs);
            driven[d++] = k;
        } else
            others[count++] = k;
    }
    double *a = instance->factor, bad, x[KT_MOST_Z], found[KT_MOST_Z + KT_CHUNK];
    int w = padded(count);
    for (int i = 0; i < w; i++) found[i] = 0.0;
    for (int i = 0; i < count; i++) {
        const double *from = J + others[i] * nz - others[i] * (others[i] - 1) / 2 - others[i]; /* row of J */
        for (int j = i; j < count; j++) a[i * w + j] = a[j * w + i] = from[others[j]];
        x[i] = force[others[i]];
        for (int d = 0; d < m->drives; d++) {
            int low = others[i] < driven[d] ? others[i] : driven[d], high = others[i] < driven[d] ? driven[d] : others[i];
            x[i] -= J[low * nz - low * (low - 1) / 2 + high - low] * zdd[driven[d]];
        }
    }
    int fault = instance->hot->invert(a, count, w, &bad);
    if (fault >= 0) return bad_inertia(instance, others[fault], bad);
    instance->hot->multiply(a, count, w, 1.0, x, found);
    double sum = 0.0;
    for (int i = 0; i < count; i++) zdd[others[i]] = found[i];
    for (int i = 0; i < n; i++) sum += zdd[i];
    return isfinite(sum) ? OK : diverged(instance, n, zdd);
}

/* Reads the tables and solves for zdd (nz). */
int kt_acceleration(kt_instance *instance, const State *at, const double *inputs, double *zdd) {
    const Model *m = &instance->model;
    int status = kt_read(instance, at->chart, at->z, instance->needs);
    if (status) return status;
    double *force = instance->stage[7];
    kt_moving_force(instance, at->lap, at->zd, at->zd, inputs, force);
    return kt_solve_motion(instance, m->nz, at->z, at->zd, force, inputs, zdd);
}

/* Kinetic, gravity, springs [J]. */
void kt_energies(kt_instance *instance, int lap, const double *u, double energy[3]) {
    const Model *m = &instance->model;
    const Chart *c = m->chart + instance->read_chart;
    const double *J = slot(instance, 0) + c->J, *s = slot(instance, 0) + c->s;
    energy[0] = energy[1] = energy[2] = 0.0;
    for (int i = 0, e = 0; i < m->nz; i++)
        for (int j = i; j < m->nz; j++) energy[0] += (i == j ? 0.5 : 1.0) * J[e++] * u[i] * u[j];
    for (int i = 0; i < 3; i++) {
        double g = instance->parameters[m->gravity[i]];
        if (g != 0.0) energy[1] -= slot(instance, 0)[c->S[i]] * g;
    }
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
