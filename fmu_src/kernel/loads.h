/* Loads in joints and rods, and accelerations of markers: rows that are read on request, times what all have in common.
 * See loads.py; the rows of a load are those of rows.py.  And loads that devices read, (6) of dynamics.py. */

/* Of an element on its measure, as if that were a length or an angle about a fixed axis. */
static double plain_force(const Kernel *k, const RowSet *set, int lap, int e) {
    WITH_MODEL(k);
    const double *value = set->value + m->chart[set->chart].s, *rate = set->rate + m->chart[set->chart].s, *p = k->parameters;
    const Element *element = m->element + e;
    const double s = value[element->measure] + lap * element->lap;
    double f = 0.0;
    for (int l = 0; l < element->laws; l++) f += kt_law_force(element->law + l, p, s, rate[element->measure]);
    for (int i = 0; i < COUPLINGS; i++) {
        const Coupling *pair = m->coupling + i;
        if (pair->a != e && pair->b != e) continue;
        const Element *other = m->element + (pair->a == e ? pair->b : pair->a);
        f -= p[pair->stiffness] * (value[other->measure] + lap * other->lap) + p[pair->damping] * rate[other->measure];
    }
    return f;
}

/* What the rows of a load are multiplied by, (load_rows); with forces of devices or without. */
static int weigh_loads(Kernel *k, RowSet *set, int lap, const double *zdd, const double *u, const double *inputs, int devices,
                       double *at) {
    WITH_MODEL(k);
    memset(at, 0, (size_t)m->load_rows * sizeof *at);
    for (int i = 0; i < NZ; i++) *at++ = zdd[i];
    for (int i = 0; i < NZ; i++)
        for (int j = i; j < NZ; j++) *at++ = (i == j ? 1.0 : 2.0) * u[i] * u[j];
    const double *V = inputs + m->twist, *Vd = inputs + m->twist_rate;
    double carried[3] = {0.0};
    if (MOVING) cross(V, V + 3, carried);
    for (int i = 0; i < 3; i++) *at++ = -k->parameters[m->gravity[i]] + (MOVING ? Vd[3 + i] + carried[i] : 0.0);
    for (int e = 0; e < m->elements; e++) at[m->element[e].measure] -= plain_force(k, set, lap, e);
    for (int c = 0; c < CARDANS; c++) {
        double more[6];
        turned_forces(k, set, lap, m->cardan[c], 1, more);
        for (int i = 0; i < 6; i++) at[m->element[m->cardan[c] + i].measure] -= more[i];
    }
    for (int i = 0; i < CONNECTIONS && devices; i++) at[m->tie[i].measure] -= k->device_force[i];
    at += m->measures;
    for (int p = 0; p < m->ports; p++)
        for (int i = 0; i < 6; i++) at[6 * m->load_of_port[p] + i] -= inputs[m->loads + 6 * p + i];
    for (int w = 0; w < WHEELS && k->moments; w++) {
        double M[3];
        if (moment_of_wheel(k, w, set, inputs, M)) return FAILED;
        for (int i = 0; i < 3; i++) {
            at[6 * m->load_of_wheel[w] + i] -= wheel_inputs(m, w, inputs)[WHEEL_F + i];
            at[6 * m->load_of_wheel[w] + 3 + i] -= M[i];
        }
    }
    at += 6 * m->loaded;
    if (MOVING) {
        for (int i = 0; i < 3; i++) *at++ = Vd[i];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < NZ; j++) *at++ = V[i] * u[j];
        for (int i = 0; i < 3; i++)
            for (int j = i; j < 3; j++) at[SYMMETRIC[i][j]] = -(i == j ? 0.5 : 1.0) * V[i] * V[j];
    }
    return OK;
}

/* A load from its rows. */
static double load_from(const Output *out, const double *row, const double *weights) {
    double sum = 0.0;
    for (int i = 0; i < out->part; i++) sum += row[i] * weights[i];
    return out->factor * sum;
}

/* --- those that devices read -------------------------------------------------------------------------------------- */

/* Their rows, where the rows of the motion are. */
static int read_pressing(Kernel *k, RowSet *set) {
    WITH_MODEL(k);
    Place place;
    memset(k->pressing_rows, 0, (size_t)(ROWS / KT_CHUNK / 64 + 1) * sizeof *k->pressing_rows);
    EACH_DEVICE
        for (int l = 0; l < d->loads; l++) {
            const int row = m->output[d->load[l] - m->outputs_at].row[set->chart];
            for (int chunk = row / KT_CHUNK; chunk <= (row + m->load_rows - 1) / KT_CHUNK; chunk++)
                k->pressing_rows[chunk / 64] |= (uint64_t)1 << chunk % 64;
        }
    const Work w = {.value = set->value, .wanted = k->pressing_rows, .rows = (size_t)ROWS};
    int status = find_places(k, set->chart, set->z, &place);
    if (!status) status = find_request_places(k, set->chart, set->z, &place);
    if (!status) read_need(PLAIN, k, set->chart, KT_REQUEST, &place, set->z, &w);
    return status;
}

/* J^-1 ds of all connections, (nz, connections) in k->follow; without driven coordinates. */
static int find_follow(Kernel *k, const RowSet *set) {
    WITH_MODEL(k);
    double J[NZ_MOST * NZ_MOST], *right = k->follow;
    int own[NZ_MOST], n = 0;
    for (int i = 0; i < NZ; i++) {
        int driven = 0;
        for (int d = 0; d < DRIVES; d++) driven |= m->drive[d].axis == i;
        if (!driven) own[n++] = i;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) J[i * n + j] = set->value[entry(NZ, own[i], own[j])];
        const double *slope = set->slope + (size_t)own[i] * ROWS + m->chart[set->chart].s;
        for (int c = 0; c < CONNECTIONS; c++) right[i * CONNECTIONS + c] = slope[m->tie[c].measure];
    }
    if (n && !kt_lu_solve(J, n, right, CONNECTIONS)) return bad_inertia(k, set->chart, own[0], 0.0);
    for (int i = NZ - 1; i >= 0; i--) { /* to their places, from the last one on */
        const int there = n && own[n - 1] == i ? --n : -1;
        for (int c = 0; c < CONNECTIONS; c++) right[i * CONNECTIONS + c] = there < 0 ? 0.0 : right[there * CONNECTIONS + c];
    }
    return OK;
}

/* Devices that read loads: forces of all devices added to those on the coordinates, (nz), which have everything else. */
static int press_devices(Kernel *k, RowSet *set, int lap, const double *zd, const double *u, const double *inputs, double *force) {
    WITH_MODEL(k);
    double zdd[NZ_MOST];
    int status = read_pressing(k, set);
    if (!status) status = solve_motion(k, set, set->z, zd, force, inputs, zdd);
    if (!status) status = weigh_loads(k, set, lap, zdd, u, inputs, 0, k->pressing_weights);
    if (!status) status = find_follow(k, set);
    if (status) return status;
    EACH_DEVICE {
        double *to = k->device_values + d->at + d->pressing;
        for (int l = 0; l < d->loads; l++) {
            const Output *out = m->output + (d->load[l] - m->outputs_at);
            const double *row = set->value + out->row[set->chart], *on = row + m->acceleration_rows + 3;
            *to++ = load_from(out, row, k->pressing_weights);
            for (int c = d->first_connection; c < d->first_connection + d->connections; c++) {
                double sum = -on[m->tie[c].measure];
                for (int i = 0; i < NZ; i++) sum += row[i] * k->follow[i * CONNECTIONS + c];
                *to++ = out->factor * sum;
            }
        }
    }
    return add_devices(k, set, lap, inputs, force);
}
