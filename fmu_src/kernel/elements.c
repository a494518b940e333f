/* Springs, dampers and bushings where the tables were read last: their forces, stiffness and damping; see laws.py and
 * tangent.py. */
#include "internal.h"

/* Linear laws, summed up per measure; when parameters have changed. */
void kt_add_linear(kt_instance *instance) {
    const Model *m = &instance->model;
    const double *p = instance->parameters;
    for (int i = 0; i < m->active; i++) instance->push[i] = instance->stiffness[i] = instance->damping[i] = 0.0;
    for (int i = 0; i < m->actives; i++) {
        const Element *e = m->element + m->active_element[i];
        for (const Law *law = e->law, *end = law + e->laws; law < end; law++) {
            if (!kt_law_linear(law)) continue;
            double along = 0.0, rate = 0.0;
            instance->push[e->measure] += kt_law_force(law, p, 0.0, 0.0);
            kt_law_slopes(law, p, 0.0, 0.0, &along, &rate);
            instance->stiffness[e->measure] -= along;
            instance->damping[e->measure] -= rate;
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
    kt_read(instance, instance->read_chart, flat, 1 << MOTION | 1 << STEADY); /* where it was read, but for deflections */
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
