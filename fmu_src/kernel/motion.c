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

/* Linear laws, summed up per measure; when parameters have changed. */
void kt_add_linear(kt_instance *instance) {
    const Model *m = &instance->model;
    const double *p = instance->parameters;
    for (int i = 0; i < m->active; i++) instance->push[i] = instance->stiffness[i] = instance->damping[i] = 0.0;
    for (int i = 0; i < m->actives; i++) {
        const Element *e = m->element + m->active_element[i];
        for (const Law *law = e->law, *end = law + e->laws; law < end; law++) {
            double first = p[law->parameters[0]];
            if (law->kind == SPRING) instance->push[e->measure] += first * p[law->parameters[1]];
            if (law->kind == CONSTANT) instance->push[e->measure] += first;
            if (law->kind == SPRING || law->kind == LINEAR) instance->stiffness[e->measure] += first;
            if (law->kind == DAMPER) instance->damping[e->measure] += first;
        }
    }
}

/* Forces of the elements, each by itself: for outputs, and where measures have gone all round. */
static void element_forces(kt_instance *instance, int lap, int n) {
    const Model *m = &instance->model;
    const double *value = slot(instance, 0) + m->chart[instance->read_chart].s;
    double *f = instance->element_force, *s = instance->s, *sdot = instance->sdot;
    for (int i = 0; i < n; i++) {
        int e = n == m->elements ? i : m->active_element[i];
        const Element *element = m->element + e;
        s[e] = value[element->measure] + lap * element->lap;
        sdot[e] = instance->measure_rate[element->measure];
        f[e] = 0.0;
        for (int l = 0; l < element->laws; l++)
            f[e] += kt_law_force(element->law + l, instance->parameters, s[e], sdot[e]);
    }
    for (int i = 0; i < m->couplings; i++) {
        const Coupling *pair = m->coupling + i;
        if (n != m->elements && m->element[pair->a].measure >= m->active) continue; /* both are steady then */
        double k = instance->parameters[pair->stiffness], d = instance->parameters[pair->damping];
        f[pair->a] -= k * s[pair->b] + d * sdot[pair->b];
        f[pair->b] -= k * s[pair->a] + d * sdot[pair->a];
    }
}

/* Rates of measures, and forces on them: of all elements, each by itself too, or only of those that are not steady. */
void kt_forces(kt_instance *instance, int lap, const double *zd, int all) {
    const Model *m = &instance->model;
    const Chart *c = m->chart + instance->read_chart;
    int measures = all ? m->measures : m->active, n = all ? m->elements : m->actives;
    double *on = instance->measure_force, *rate = instance->measure_rate;
    const double *s = slot(instance, 0) + c->s;
    if (all || lap) {
        instance->hot->combine(slot(instance, 1) + c->s, m->most_rows, zd, padded(measures), m->nz, rate);
        element_forces(instance, lap, n);
        for (int i = 0; i < measures; i++) on[i] = 0.0;
        for (int i = 0; i < n; i++) {
            int e = all ? i : m->active_element[i];
            on[m->element[e].measure] += instance->element_force[e];
        }
        return;
    }
    instance->hot->pull(slot(instance, 1) + c->s, m->most_rows, zd, m->nz, measures, s, instance->push,
                        instance->stiffness, instance->damping, rate, on);
    for (const struct Bend *bend = m->bend, *end = bend + m->bends; bend < end; bend++)
        on[bend->measure] += kt_law_force(bend->law, instance->parameters, s[bend->measure], rate[bend->measure]);
    for (int i = 0; i < m->couplings; i++) {
        int a = m->element[m->coupling[i].a].measure, b = m->element[m->coupling[i].b].measure;
        if (a >= m->active) continue;
        double k = instance->parameters[m->coupling[i].stiffness], d = instance->parameters[m->coupling[i].damping];
        on[a] -= k * s[b] + d * rate[b];
        on[b] -= k * s[a] + d * rate[a];
    }
}

/* How the forces on measures change with them, and with the rates of `kt_forces`. */
void kt_slopes(kt_instance *instance) {
    const Model *m = &instance->model;
    const double *s = slot(instance, 0) + m->chart[instance->read_chart].s, *sdot = instance->measure_rate;
    for (int i = 0; i < m->active; i++) {
        instance->along[i] = -instance->stiffness[i];
        instance->rate[i] = -instance->damping[i];
    }
    for (const struct Bend *bend = m->bend, *end = bend + m->bends; bend < end; bend++)
        kt_law_slopes(bend->law, instance->parameters, s[bend->measure], sdot[bend->measure],
                      instance->along + bend->measure, instance->rate + bend->measure);
}

/* matrix (nz, wide) += factor (a b^T + b a^T) / 2 for gradients a and b of measures. */
static void add_product(kt_instance *instance, int a, int b, double factor, double *matrix) {
    const Model *m = &instance->model;
    int at = m->chart[instance->read_chart].s;
    for (int p = 0; p < m->nz; p++)
        for (int q = 0; q < m->nz; q++) {
            const double *P = slot(instance, 1 + p) + at, *Q = slot(instance, 1 + q) + at;
            matrix[p * instance->wide + q] += 0.5 * factor * (P[a] * Q[b] + P[b] * Q[a]);
        }
}

/* Stiffness and damping of the measures from `first` on, where the tables were read last. */
static void add_tangents(kt_instance *instance, int first, double *K, double *C) {
    const Model *m = &instance->model;
    const double *p = instance->parameters, *s = slot(instance, 0) + m->chart[instance->read_chart].s;
    for (int e = 0; e < m->elements; e++) {
        const Element *element = m->element + e;
        for (int l = 0; element->measure >= first && l < element->laws; l++) {
            double along = 0.0, rate = 0.0;
            kt_law_slopes(element->law + l, p, s[element->measure], 0.0, &along, &rate);
            add_product(instance, element->measure, element->measure, -along, K);
            add_product(instance, element->measure, element->measure, -rate, C);
        }
    }
    for (int i = 0; i < m->couplings; i++) {
        int a = m->element[m->coupling[i].a].measure, b = m->element[m->coupling[i].b].measure;
        if (a < first) continue;
        add_product(instance, a, b, 2.0 * p[m->coupling[i].stiffness], K);
        add_product(instance, a, b, 2.0 * p[m->coupling[i].damping], C);
    }
}

/* What is constant for given parameters: forces of the steady measures, and stiffness and damping of the steady and bent
 * ones without deflection. */
void kt_find_steady(kt_instance *instance) {
    const Model *m = &instance->model;
    if (instance->steady_known) return;
    const double *p = instance->parameters;
    int at = m->chart[instance->read_chart].s, size = m->nz * instance->wide, needs = instance->rows_read;
    double z[KT_MOST_Z], flat[KT_MOST_Z] = {0}, *f = instance->measure_force;
    instance->steady_known = 1;
    memset(instance->K0, 0, (size_t)size * sizeof *z);
    memset(instance->C0, 0, (size_t)size * sizeof *z);
    memset(instance->K1, 0, (size_t)size * sizeof *z);
    memset(instance->C1, 0, (size_t)size * sizeof *z);
    memset(instance->Q0, 0, (size_t)m->nz * sizeof *z);
    if (m->varying == m->measures) return;
    memcpy(z, instance->read_z, (size_t)m->nz * sizeof *z);
    memcpy(flat, z, (size_t)m->nf * sizeof *z);
    kt_read(instance, instance->read_chart, flat, 1 << MOTION); /* where it was read before, but for deflections */
    add_tangents(instance, m->active, instance->K0, instance->C0);
    add_tangents(instance, m->varying, instance->K1, instance->C1);
    const double *s = slot(instance, 0) + at;
    for (int i = m->active; i < m->measures; i++) f[i] = 0.0;
    for (int e = 0; e < m->elements; e++)
        for (int l = 0, i = m->element[e].measure; i >= m->active && l < m->element[e].laws; l++)
            f[i] += kt_law_force(m->element[e].law + l, p, s[i], 0.0);
    for (int i = 0; i < m->couplings; i++) {
        int a = m->element[m->coupling[i].a].measure, b = m->element[m->coupling[i].b].measure;
        if (a < m->active) continue;
        f[a] -= p[m->coupling[i].stiffness] * s[b];
        f[b] -= p[m->coupling[i].stiffness] * s[a];
    }
    for (int k = 0; k < m->nz; k++)
        for (int i = m->active; i < m->measures; i++) instance->Q0[k] += slot(instance, 1 + k)[at + i] * f[i];
    kt_read(instance, instance->read_chart, z, needs);
}

/* Stiffness and, unless C is NULL, damping of the laws where the tables were read last, equations (1) and (2) of
 * tangent.py, (nz, wide); if `near`, with what bent measures have without deflection. */
void kt_tangents(kt_instance *instance, int near, double *K, double *C) {
    const Model *m = &instance->model;
    int at = m->chart[instance->read_chart].s, count = near ? m->varying : m->active;
    kt_slopes(instance);
    Squares squares = {.n = m->nz, .wide = instance->wide, .count = count, .rows = m->most_rows,
                       .slots = slot(instance, 1) + at, .along = instance->along, .rate = instance->rate,
                       .K0 = near ? instance->K1 : instance->K0, .C0 = near ? instance->C1 : instance->C0,
                       .work = instance->gradients, .K = K, .C = C};
    instance->hot->squares(&squares);
    for (int i = 0; i < m->couplings; i++) {
        int a = m->element[m->coupling[i].a].measure, b = m->element[m->coupling[i].b].measure;
        if (a >= count) continue;
        add_product(instance, a, b, 2.0 * instance->parameters[m->coupling[i].stiffness], K);
        if (C) add_product(instance, a, b, 2.0 * instance->parameters[m->coupling[i].damping], C);
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
    int nz = m->nz, at = c->loads;
    set_loads(instance, inputs);
    instance->hot->dots(slot(instance, 1) + at, m->most_rows, instance->load + at, padded(m->loads_rows), nz, Q);
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
    if (!(instance->rows_read >> INERTIA & 1)) {
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
