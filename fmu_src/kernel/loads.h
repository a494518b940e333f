/* Loads in joints and rods, and accelerations of markers: rows that are read on request, times what all have in common.
 * See loads.py; the rows of a load are those of rows.py. */

/* What the rows of a load are multiplied by, (load_rows). */
static int find_loads(Kernel *k, const State *state) {
    WITH_MODEL(k);
    double *at = k->load_weights;
    memset(at, 0, (size_t)m->load_rows * sizeof *at);
    for (int i = 0; i < NZ; i++) *at++ = k->zdd[i];
    for (int i = 0; i < NZ; i++)
        for (int j = i; j < NZ; j++) *at++ = (i == j ? 1.0 : 2.0) * k->u[i] * k->u[j];
    const double *V = k->inputs + m->twist, *Vd = k->inputs + m->twist_rate;
    double carried[3] = {0.0};
    if (MOVING) cross(V, V + 3, carried);
    for (int i = 0; i < 3; i++) *at++ = -k->parameters[m->gravity[i]] + (MOVING ? Vd[3 + i] + carried[i] : 0.0);
    for (int e = 0; e < m->elements; e++) at[m->element[e].measure] -= plain_force(k, state, e);
    for (int c = 0; c < CARDANS; c++) {
        double more[6];
        turned_forces(k, k->instant, state->lap, m->cardan[c], 1, more);
        for (int i = 0; i < 6; i++) at[m->element[m->cardan[c] + i].measure] -= more[i];
    }
    for (int i = 0; i < CONNECTIONS; i++) at[m->tie[i].measure] -= k->device_force[i];
    at += m->measures;
    for (int p = 0; p < m->ports; p++)
        for (int i = 0; i < 6; i++) at[6 * m->load_of_port[p] + i] -= k->inputs[m->loads + 6 * p + i];
    for (int w = 0; w < WHEELS && k->moments; w++) {
        double M[3];
        if (moment_of_wheel(k, w, k->instant, k->inputs, M)) return FAILED;
        for (int i = 0; i < 3; i++) {
            at[6 * m->load_of_wheel[w] + i] -= wheel_inputs(m, w, k->inputs)[WHEEL_F + i];
            at[6 * m->load_of_wheel[w] + 3 + i] -= M[i];
        }
    }
    at += 6 * m->loaded;
    if (MOVING) {
        for (int i = 0; i < 3; i++) *at++ = Vd[i];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < NZ; j++) *at++ = V[i] * k->u[j];
        for (int i = 0; i < 3; i++)
            for (int j = i; j < 3; j++) at[SYMMETRIC[i][j]] = -(i == j ? 0.5 : 1.0) * V[i] * V[j];
    }
    k->fresh |= LOADED;
    return OK;
}

static double load_of(const Kernel *k, const Output *out, int row) {
    const double *value = k->instant->value + row;
    double sum = 0.0;
    for (int i = 0; i < out->part; i++) sum += value[i] * k->load_weights[i];
    return out->factor * sum;
}
