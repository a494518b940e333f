/* The way from chart to chart, see handover.py; and steps, see integrator.py. */

#define MOST_SCALING 0.01 /* of rates at a hand-over */

/* Kinetic, gravity, springs [J], where rows are read: those of the motion, and across if gravity acts there. */
static void energies(Kernel *k, const RowSet *set, int lap, const double *u, double energy[3]) {
    WITH_MODEL(k);
    const Chart *c = m->chart + set->chart;
    energy[0] = energy[1] = energy[2] = 0.0;
    for (int i = 0, e = 0; i < NZ; i++)
        for (int j = i; j < NZ; j++) energy[0] += (i == j ? 0.5 : 1.0) * set->value[e++] * u[i] * u[j];
    for (int i = 0; i < 3; i++) {
        double g = k->parameters[m->gravity[i]];
        if (g != 0.0) energy[1] -= set->value[c->S[i]] * g;
    }
    for (int e = 0; e < m->elements; e++) {
        const Element *element = m->element + e;
        double s = set->value[c->s + element->measure] + lap * element->lap;
        for (int l = 0; l < element->laws; l++) energy[2] += kt_law_potential(element->law + l, k->parameters, s);
    }
    for (int i = 0; i < m->couplings; i++) {
        const Element *a = m->element + m->coupling[i].a, *b = m->element + m->coupling[i].b;
        energy[2] += k->parameters[m->coupling[i].stiffness] * (set->value[c->s + a->measure] + lap * a->lap) *
                     (set->value[c->s + b->measure] + lap * b->lap);
    }
}

/* The end of a step where tables are continued: that there is inertia left. */
APART int check_inertia(Kernel *k, const State *state) {
    WITH_MODEL(k);
    double force[NZ_MOST] = {0.0}, zdd[NZ_MOST];
    int status = read_slopes(k, k->instant, state->chart, state->z);
    return status ? status : solve_motion(k, k->instant, state->z, state->zd, force, k->inputs, zdd);
}

/* The end of a step, before it is taken over.  No number compares well with one that is none. */
INLINE int check_end(Kernel *k, const State *state, double h) {
    WITH_MODEL(k);
    const Chart *c = m->chart + state->chart;
    int inside = 1;
    for (int i = 0; i < NZ; i++)
        inside &= state->z[i] >= c->least[i] && state->z[i] <= c->most[i] && fabs(state->zd[i]) * h <= c->path[i];
    if (inside) return OK;
    int status = kt_judge_end(k, state, h);
    return status ? status : check_inertia(k, state);
}

INLINE int step_in_chart(Kernel *k, State *state, double tau, double h) {
    WITH_MODEL(k);
    int status;
    double z0[NZ_MOST];
    memcpy(z0, state->z, (size_t)NZ * sizeof *z0);
    if (QUASISTATIC) status = quasistatic_step(k, state, tau, h);
    else if (NS && MIDPOINT) status = midpoint_step(k, state, tau, h);
    else if (NS) status = rosenbrock_step(k, state, tau, h);
    else status = explicit_step(k, state, tau, h);
    if (!status) status = check_end(k, state, h);
    if (status == OUT_OF_TABLE) return kt_beyond(k, state->chart, z0, h);
    return status == NO_INERTIA ? kt_no_inertia(k) : status;
}

/* Into the chart behind a border, with the energy kept. */
static int hand_over(Kernel *k, State *state, int number) {
    WITH_MODEL(k);
    const Border *border = m->chart[state->chart].border + number;
    RowSet *here = k->rows, *there = k->rows + 1;
    double before[3], after[3], z[NZ_MOST], zd[NZ_MOST];
    int status = read_slopes(k, here, state->chart, state->z);
    const Work w = {.value = here->value, .slope = here->slope, .rows = (size_t)ROWS};
    if (!status) status = kt_read_any(k, state->chart, KT_SHOWN, state->z, SLOPES, &w);
    if (status) return status;
    energies(k, here, state->lap, state->zd, before);
    for (int i = 0; i < NZ; i++) {
        z[i] = here->value[border->row + i] + border->offset[i];
        zd[i] = 0.0;
        for (int j = 0; j < NZ; j++) zd[i] += state->zd[j] * here->slope[(size_t)j * ROWS + border->row + i];
    }
    int lap = state->lap + border->lap;
    if ((status = read_slopes(k, there, border->chart, z))) return status;
    energies(k, there, lap, zd, after);
    double scale = 1.0;
    if (after[0] > 0.0) {
        double share = (before[0] + before[1] + before[2] - after[1] - after[2]) / after[0];
        scale = fabs(share - 1.0) < MOST_SCALING ? sqrt(share) : 1.0;
    }
    state->chart = border->chart;
    state->lap = lap;
    for (int i = 0; i < NZ; i++) {
        state->z[i] = z[i];
        state->zd[i] = scale * zd[i];
    }
    return OK;
}

static int border_passed(const Chart *c, const double *z) {
    for (int i = 0; i < c->borders; i++)
        if (c->border[i].upper ? z[c->border[i].axis] > c->border[i].at : z[c->border[i].axis] < c->border[i].at) return i;
    return -1;
}

static int border_ahead(const Chart *c, const double *zd) {
    for (int i = 0; i < c->borders; i++) {
        double rate = zd[c->border[i].axis];
        if (rate != 0.0 && (rate > 0.0) == c->border[i].upper) return i;
    }
    return -1;
}

/* The state in the chart that it belongs to: handed over until no border lies behind it. */
static int settled(Kernel *k, State *state) {
    WITH_MODEL(k);
    int status = OK;
    for (int i = 0; !status && i < m->charts; i++) {
        int passed = border_passed(m->chart + state->chart, state->z);
        if (passed < 0) break;
        status = hand_over(k, state, passed);
    }
    return status;
}

/* One step in the state's chart; where that leaves its table, in the chart ahead if that one reaches here. */
static int substep(Kernel *k, State *state, double tau, double h) {
    WITH_MODEL(k);
    if (CHARTS == 1) return step_in_chart(k, state, tau, h);
    double z0[NZ_MOST], zd0[NZ_MOST];
    memcpy(z0, state->z, (size_t)NZ * sizeof *z0);
    memcpy(zd0, state->zd, (size_t)NZ * sizeof *z0);
    if (DEVICES) memcpy(k->device_memory, state->x, kt_memory(m) * sizeof *z0);
    int status = step_in_chart(k, state, tau, h);
    if (status == OUT_OF_TABLE) {
        const Fault left = k->fault;
        memcpy(state->z, z0, (size_t)NZ * sizeof *z0);
        memcpy(state->zd, zd0, (size_t)NZ * sizeof *z0);
        if (DEVICES) memcpy(state->x, k->device_memory, kt_memory(m) * sizeof *z0);
        int ahead = border_ahead(m->chart + state->chart, state->zd);
        if (ahead < 0) return status;
        status = hand_over(k, state, ahead);
        if (!status) status = step_in_chart(k, state, tau, h);
        if (status == OUT_OF_TABLE) {
            k->fault = left;
            return kt_over_charts(k, h);
        }
    }
    return status ? status : settled(k, state);
}

/* So many steps of the size h, from the time tau after the start of a communication step on; on failure the state is lost. */
static int run(Kernel *k, State *state, double time, double tau, double h, int count) {
    WITH_MODEL(k);
    for (int i = 0; i < count; i++) {
        int status = substep(k, state, tau + i * h, h);
        if (!status) continue;
        k->fault.when = BETWEEN;
        k->fault.from = time + (tau + i * h);
        k->fault.to = time + (tau + i * h) + h;
        return status;
    }
    return OK;
}
