/* Outputs, computed when they are asked for; see outputs.py for their order and meaning. */
#include "internal.h"

#include <stdio.h>

enum { NOW = 1, COORDINATES = 2, ACCELERATION = 4, ELEMENTS = 8, CHASSIS = 16, ENERGY = 32 }; /* bits of fresh */

/* Where the groups of outputs begin, counted from the first output. */
typedef struct { int qd, qdd, drive, element, marker, chassis, energy, range, end; } Places;

static Places places_of(const Model *m) {
    Places at;
    at.qd = m->nz;
    at.qdd = 2 * m->nz;
    at.drive = at.qdd + m->nf;
    at.element = at.drive + m->drives;
    at.marker = at.element + 3 * m->elements;
    at.chassis = at.marker;
    for (int i = 0; i < m->markers; i++) at.chassis += 12 + 2 * m->marker[i].has_spin;
    at.energy = at.chassis + 6 * m->moving;
    at.range = at.energy + 3;
    at.end = at.range + 1 + (m->charts > 1);
    return at;
}

size_t kt_output_count(const Model *model) { return (size_t)places_of(model).end; }

/* Which coordinate lies outside the tables or beyond its radius, in words; 0 if all are inside. */
int kt_departure(kt_instance *instance, char *text, size_t room) {
    const Model *m = &instance->model;
    State state = kt_state(instance);
    const double *z = m->quasistatic && instance->fresh & NOW ? instance->instant.z : state.z;
    for (int k = 0; k < m->nf; k++) {
        const Axis *a = m->chart[state.chart].axis + k;
        if (a->linear && !a->periodic && !(a->lower <= z[k] && z[k] <= a->upper)) {
            if (room)
                snprintf(text, room, "coordinate '%s' = %.6g %s is outside its table [%.6g, %.6g] %s, which is continued linearly",
                         a->name, z[k], a->unit, a->lower, a->upper, a->unit);
            return 1;
        }
    }
    for (int i = 0; i < m->ns; i++) {
        const Stiff *s = m->stiff + i;
        if (!(fabs(z[m->nf + i]) <= s->radius)) {
            if (room)
                snprintf(text, room, "deflection '%s' = %.6g %s is beyond %.6g %s, up to which the tables were measured",
                         s->name, z[m->nf + i], s->unit, s->radius, s->unit);
            return 1;
        }
    }
    return 0;
}

/* Position and rates at this instant; deflections that are quasi-static follow the inputs. */
static int find_now(kt_instance *instance) {
    const Model *m = &instance->model;
    Instant *now = &instance->instant;
    State state = kt_state(instance);
    size_t bytes = (size_t)m->nz * sizeof(double);
    int needs = instance->needs & ~(1 << INERTIA);
    if (instance->fresh & NOW) return kt_read(instance, state.chart, now->z, needs);
    memcpy(now->z, state.z, bytes);
    memcpy(now->zd, state.zd, bytes);
    memcpy(now->u, state.zd, bytes);
    int status = m->quasistatic ? kt_relax(instance, state.chart, now->z, now->zd, now->u, instance->inputs)
                                : kt_read(instance, state.chart, now->z, needs);
    if (!status) instance->fresh |= NOW;
    return status;
}

static int find_acceleration(kt_instance *instance) {
    const Model *m = &instance->model;
    Instant *now = &instance->instant;
    State state = kt_state(instance);
    int n = m->quasistatic ? m->nf : m->nz;
    int status = kt_read(instance, state.chart, now->z, instance->needs);
    if (status) return status;
    kt_moving_force(instance, state.lap, now->zd, now->u, instance->inputs, now->force);
    for (int k = n; k < m->nz; k++) now->zdd[k] = 0.0;
    return kt_solve_motion(instance, n, now->z, now->zd, now->force, instance->inputs, now->zdd);
}

static void show_accelerations(kt_instance *instance, const Places *at, double *out) {
    const Model *m = &instance->model;
    const Chart *c = m->chart + instance->read_chart;
    const Instant *now = &instance->instant;
    int nz = m->nz, n = m->quasistatic ? m->nf : nz;
    const double *J = slot(instance, 0) + c->J;
    for (int d = 0; d < m->drives; d++) {
        int k = m->drive[d].axis;
        double force = -now->force[k];
        for (int i = 0; i < n; i++) {
            int low = i < k ? i : k, high = i < k ? k : i;
            force += J[low * nz - low * (low - 1) / 2 + high - low] * now->zdd[i];
        }
        out[at->drive + d] = force;
    }
    if (m->charts == 1) {
        memcpy(out + at->qdd, now->zdd, (size_t)m->nf * sizeof *out);
        return;
    }
    for (int i = 0; i < nz; i++) { /* cdd = G zdd + (dG/dt) zd */
        double sum = 0.0;
        for (int k = 0; k < nz; k++) {
            int row = c->G + i * nz + k;
            sum += slot(instance, 0)[row] * now->zdd[k];
            for (int l = 0; l < nz; l++) sum += now->zd[l] * slot(instance, 1 + l)[row] * now->zd[k];
        }
        out[at->qdd + i] = sum;
    }
}

static int show_coordinates(kt_instance *instance, const Places *at, double *out) {
    const Model *m = &instance->model;
    const Instant *now = &instance->instant;
    State state = kt_state(instance);
    const Chart *c = m->chart + state.chart;
    int nz = m->nz;
    out[at->range] = !kt_departure(instance, NULL, 0);
    if (m->charts == 1) {
        memcpy(out, now->z, (size_t)nz * sizeof *out);
        memcpy(out + at->qd, now->zd, (size_t)nz * sizeof *out);
        return OK;
    }
    out[at->range + 1] = state.chart + 1.0;
    int status = kt_read(instance, state.chart, now->z, 1 << MOTION | 1 << SHOWN);
    if (status) return status;
    for (int i = 0; i < nz; i++) {
        out[i] = slot(instance, 0)[c->c + i] + state.lap * m->lap[i];
        out[at->qd + i] = 0.0;
        for (int k = 0; k < nz; k++) out[at->qd + i] += slot(instance, 0)[c->G + i * nz + k] * now->zd[k];
    }
    return OK;
}

static int show_elements(kt_instance *instance, const Places *at, double *out) {
    const Model *m = &instance->model;
    State state = kt_state(instance);
    int status = kt_read(instance, state.chart, instance->instant.z, 1 << MOTION | 1 << STEADY);
    if (status) return status;
    kt_forces(instance, state.lap, instance->instant.zd, 1);
    for (int e = 0; e < m->elements; e++) {
        out[at->element + 3 * e] = instance->s[e];
        out[at->element + 3 * e + 1] = instance->sdot[e];
        out[at->element + 3 * e + 2] = instance->element_force[e];
    }
    return OK;
}

static int show_energies(kt_instance *instance, const Places *at, double *out) {
    double energy[3];
    State state = kt_state(instance);
    int status = kt_read(instance, state.chart, instance->instant.z, instance->needs | 1 << STEADY);
    if (status) return status;
    kt_energies(instance, state.lap, instance->instant.u, energy);
    out[at->energy] = energy[0];
    out[at->energy + 1] = energy[1] + energy[2];
    out[at->energy + 2] = energy[0] + energy[1] + energy[2];
    return OK;
}

static int show_marker(kt_instance *instance, int number, double *out) {
    const Model *m = &instance->model;
    const Instant *now = &instance->instant;
    State state = kt_state(instance);
    const Chart *c = m->chart + state.chart;
    const MarkerRows *rows = c->marker + number;
    int nz = m->nz, needs = 1 << MOTION | 1 << POSES;
    if (rows->A < c->end[MOMENTS]) needs |= 1 << MOMENTS; else needs |= 1 << SHOWN;
    int status = kt_read(instance, state.chart, now->z, needs);
    if (status) return status;
    const double *value = slot(instance, 0), *R = value + rows->R;
    for (int i = 0; i < 3; i++) {
        double v = 0.0, w = 0.0;
        for (int k = 0; k < nz; k++) {
            v += now->zd[k] * slot(instance, 1 + k)[rows->r + i];
            w += value[rows->A + i * nz + k] * now->zd[k];
        }
        out[i] = value[rows->r + i];
        out[3 + i] = v;
        out[6 + i] = w;
    }
    out[9] = atan2(R[7], R[8]);
    out[10] = atan2(-R[6], hypot(R[0], R[3]));
    out[11] = atan2(R[3], R[0]);
    if (m->marker[number].has_spin) {
        const double *axis = m->marker[number].spin, *design = m->marker[number].design;
        double u[3];
        for (int i = 0; i < 3; i++) u[i] = R[3 * i] * axis[0] + R[3 * i + 1] * axis[1] + R[3 * i + 2] * axis[2];
        out[12] = atan2(design[0] * u[1] - design[1] * u[0], design[0] * u[0] + design[1] * u[1]);
        out[13] = -atan2(u[2], hypot(u[0], u[1]));
    }
    return OK;
}

/* Brings a group up to date. */
static int show(kt_instance *instance, const Places *at, unsigned group) {
    double *out = instance->values + instance->model.outputs_at;
    int status = find_now(instance);
    if (status || instance->fresh & group) return status;
    switch (group) {
    case COORDINATES: status = show_coordinates(instance, at, out); break;
    case ELEMENTS: status = show_elements(instance, at, out); break;
    case ENERGY: status = show_energies(instance, at, out); break;
    case ACCELERATION:
        status = find_acceleration(instance);
        if (!status) show_accelerations(instance, at, out);
        break;
    case CHASSIS: {
        double wrench[6];
        status = show(instance, at, ACCELERATION);
        if (status) break;
        kt_chassis_wrench(instance, &instance->instant, instance->inputs, wrench);
        memcpy(out + at->chassis, wrench + 3, 3 * sizeof *out);
        memcpy(out + at->chassis + 3, wrench, 3 * sizeof *out);
        break;
    }
    default: break;
    }
    if (!status) instance->fresh |= group;
    return status;
}

static int refresh_output(kt_instance *instance, const Places *at, int output) {
    const Model *m = &instance->model;
    if (output < at->qdd || output >= at->range) return show(instance, at, COORDINATES);
    if (output < at->element) return show(instance, at, ACCELERATION);
    if (output < at->marker) return show(instance, at, ELEMENTS);
    if (output >= at->energy) return show(instance, at, ENERGY);
    if (output >= at->chassis) return show(instance, at, CHASSIS);
    int number = 0, first = at->marker, size;
    while (output >= first + (size = 12 + 2 * m->marker[number].has_spin)) {
        first += size;
        number++;
    }
    int status = find_now(instance);
    if (status || instance->fresh_marker[number]) return status;
    status = show_marker(instance, number, instance->values + m->outputs_at + first);
    instance->fresh_marker[number] = !status;
    return status;
}

int kt_refresh(kt_instance *instance, const uint32_t *references, size_t n) {
    const Places at = places_of(&instance->model);
    for (size_t i = 0; i < n; i++) {
        int output = (int)references[i] - instance->model.outputs_at;
        int status = output < 0 ? OK : refresh_output(instance, &at, output);
        if (status) return status;
    }
    return OK;
}

int kt_refresh_all(kt_instance *instance) {
    const Places at = places_of(&instance->model);
    for (int output = 0; output < at.end; output++) {
        int status = refresh_output(instance, &at, output);
        if (status) return status;
    }
    return OK;
}
