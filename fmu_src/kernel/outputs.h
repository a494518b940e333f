/* Outputs, computed when they are asked for from the list of their sources; see source.py and outputs.py.
 *
 * Rows are read once per instant, and only chunks that are asked for.  Without deflections those of the motion come with
 * their slopes, from which the next step starts.
 */

enum { NOW = 1, FOUND = 2, BALANCED = 4, WEIGHED = 8, SLOPED = 16, LOADED = 32 }; /* bits of fresh: the place; accelerations;
                                                * energies; the wrench; slopes of the rows of the motion; what loads have in common;
                                                * and KT_SLOTS */

INLINE void want(Kernel *k, int row, int count) {
    for (int chunk = row / KT_CHUNK; chunk <= (row + count - 1) / KT_CHUNK; chunk++) k->wanted[chunk / 64] |= (uint64_t)1 << chunk % 64;
}

INLINE void mark(uint64_t *chunks, int begin, int end) {
    for (int chunk = begin / KT_CHUNK; chunk < end / KT_CHUNK; chunk++) chunks[chunk / 64] |= (uint64_t)1 << chunk % 64;
}

/* What the motion has read is there. */
INLINE void mark_read(Kernel *k, const Chart *c) {
    mark(k->shown, 0, c->end[k->across ? KT_ACROSS : KT_MOTION]);
    if (k->moments) mark(k->shown, c->end[KT_ACROSS], c->end[KT_MOMENTS]);
}

/* What an output needs: chunks, and bits of fresh. */
static unsigned needs_of(Kernel *k, const Chart *c, const Output *out) {
    WITH_MODEL(k);
    const int row = out->row[(int)k->block[AT_CHART]], several = CHARTS > 1;
    switch (out->operation) {
    case KT_COORDINATE: if (several) want(k, c->c + out->index, 1); return 0;
    case KT_RATE: if (several) want(k, c->G + out->index * NZ, NZ); return 0;
    case KT_ROW: case KT_ROW_RATE: want(k, row, 1); return 0;
    case KT_TURNING: want(k, row, NZ); return 0;
    case KT_ANGLE: case KT_STEER: case KT_CAMBER: case KT_STEER_ABSOLUTE: case KT_CAMBER_CHANGE: want(k, row, KT_ROTATION_ROWS); return 0;
    case KT_FORCE: want(k, c->s, m->measures); return 0;
    case KT_ENERGY: want(k, 0, c->end[k->across ? KT_ACROSS : KT_MOTION]); return BALANCED;
    case KT_WRENCH: return FOUND | WEIGHED;
    case KT_CONTACT:
        want(k, c->N, 6 * NZ);
        want(k, c->I, 6);
        return FOUND | WEIGHED;
    case KT_CARRIED:
        want(k, c->marker[out->index].r, KT_POSITION_ROWS);
        want(k, c->marker[out->index].R, KT_ROTATION_ROWS);
        want(k, c->marker[out->index].A, KT_TURNING_ROWS * NZ);
        return 0;
    case KT_RATIO: case KT_WHEEL: case KT_GEOMETRIC: case KT_SCREW: {
        const MarkerRows *rows = c->marker + m->wheel[out->index].marker;
        want(k, rows->r, KT_POSITION_ROWS);
        want(k, rows->R, KT_ROTATION_ROWS);
        want(k, rows->A, KT_TURNING_ROWS * NZ);
        return out->operation == KT_RATIO || out->operation == KT_SCREW ? SLOPED : 0;
    }
    case KT_ACCELERATION: case KT_DRIVE: return FOUND;
    case KT_LOAD:
        want(k, row, out->part);
        if (DEVICES) want(k, c->s, m->measures);
        return FOUND | LOADED | (DEVICES ? KT_SLOTS : 0);
    case KT_DEVICE: want(k, c->s, m->measures); return KT_SLOTS | (m->pressing ? FOUND : 0);
    default: return 0;
    }
}

/* Position and rates at this instant; deflections that are quasi-static follow the inputs. */
static int find_now(Kernel *k, const State *state) {
    WITH_MODEL(k);
    if (k->fresh & NOW) return OK;
    const size_t bytes = (size_t)NZ * sizeof(double);
    memcpy(k->z, state->z, bytes);
    memcpy(k->zd, state->zd, bytes);
    memcpy(k->u, state->zd, bytes);
    memset(k->shown, 0, (size_t)(ROWS / KT_CHUNK / 64 + 1) * sizeof *k->shown);
    RowSet *set = k->instant;
    int same = set->chart == state->chart;
    for (int i = 0; i < NZ; i++) same &= set->z[i] == k->z[i];
    if (!same) { /* rows that are there are of another place */
        memcpy(set->z, k->z, bytes);
        set->chart = state->chart;
        set->sloped = 0;
    }
    take_memory(k, state);
    if (TRACKS) kt_quasi_rates(m, k->z, k->zd, k->u);
    int status = QUASISTATIC ? relax(k, k->instant, state->chart, k->z, k->zd, k->u, k->inputs) : OK;
    if (!status) k->fresh |= NOW;
    return status;
}

/* What accelerates the coordinates, and their accelerations. */
static int find_accelerations(Kernel *k, const State *state) {
    WITH_MODEL(k);
    const Chart *c = m->chart + state->chart;
    take_memory(k, state);
    int status = moving_force(k, k->instant, state->chart, state->lap, k->z, k->zd, k->u, k->inputs, QUASISTATIC, k->force);
    if (DEVICES && !status) k->fresh |= KT_SLOTS;
    if (!status) status = solve_motion(k, k->instant, k->z, k->zd, k->force, k->inputs, k->zdd);
    if (status) return status;
    mark_read(k, c);
    k->fresh |= FOUND;
    return OK;
}

/* What devices do. */
static int find_slots(Kernel *k, const State *state) {
    if (k->fresh & KT_SLOTS) return OK;
    take_memory(k, state);
    read_connections(k, k->instant, state->lap);
    if (kt_respond(k, k->inputs, 0)) return FAILED;
    k->fresh |= KT_SLOTS;
    return OK;
}

/* Whether chunks of a need are wanted. */
INLINE int wants(const Kernel *k, const Chart *c, const int need) {
    int found = 0;
    for (int chunk = need ? c->end[need - 1] / KT_CHUNK : 0; chunk < c->end[need] / KT_CHUNK; chunk++)
        found |= k->wanted[chunk / 64] >> chunk % 64 & 1;
    return found;
}

/* Reads the chunks that are wanted and not there. */
static int read_wanted(Kernel *k, const State *state) {
    WITH_MODEL(k);
    const Chart *c = m->chart + state->chart;
    const int words = ROWS / KT_CHUNK / 64 + 1;
    uint64_t missing = 0;
    for (int i = 0; i < words; i++) missing |= k->wanted[i] &= ~k->shown[i];
    if (!missing) return OK;
    if (NS == 0 && wants(k, c, KT_MOTION)) { /* as the next step will read them */
        vec part[NZ_MOST];
        int status = read_slopes(k, k->instant, state->chart, k->z);
        if (status) return status;
        for (int i = 0; i < NZ; i++) part[i] = zero();
        act_on_slopes(k, k->instant, k->zd, 0, c->end[k->across ? KT_ACROSS : KT_MOTION], part);
        mark_read(k, c);
        missing = 0;
        for (int i = 0; i < words; i++) missing |= k->wanted[i] &= ~k->shown[i];
        if (!missing) return OK;
    }
    Place place;
    int status = find_places(k, state->chart, k->z, &place);
    if (status) return status;
    const Work w = {.value = k->instant->value, .rate = k->instant->rate, .zd = k->zd, .wanted = k->wanted, .rows = (size_t)ROWS};
    if (NS) read_need(VALUES, k, state->chart, KT_MOTION, &place, k->z, &w);
    if (wants(k, c, KT_MOMENTS)) read_moments(k, state->chart, &place, k->z, &w);
    read_need(VALUES, k, state->chart, KT_SHOWN, &place, k->z, &w);
    read_need(PLAIN, k, state->chart, KT_POSES, &place, k->z, &w);
    if (wants(k, c, KT_ACROSS)) status = kt_read_any(k, state->chart, KT_ACROSS, k->z, VALUES, &w);
    if (!status && wants(k, c, KT_REQUEST)) {
        if (NS) status = kt_read_any(k, state->chart, KT_REQUEST, k->z, VALUES, &w);
        else if (!(status = find_request_places(k, state->chart, k->z, &place))) read_need(PLAIN, k, state->chart, KT_REQUEST, &place, k->z, &w);
    }
    if (status) return status;
    for (int i = 0; i < words; i++) k->shown[i] |= k->wanted[i];
    return OK;
}

/* --- what some outputs are made of -------------------------------------------------------------------------------- */

typedef struct { double mass; const double *S, *I, *N; } Inertia;

/* h += [I w + S x v; m v + w x S] + N u, (1) of ground.py */
static void add_momentum(const Inertia *b, int nz, const double *V, const double *u, double *h) {
    double Sv[3], wS[3];
    cross(b->S, V + 3, Sv);
    cross(V, b->S, wS);
    for (int i = 0; i < 3; i++) {
        h[i] += Sv[i];
        for (int j = 0; j < 3; j++) h[i] += b->I[SYMMETRIC[i][j]] * V[j];
        h[3 + i] += b->mass * V[3 + i] + wS[i];
    }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < nz; j++) h[i] += b->N[i * nz + j] * u[j];
}

/* Force and moment about the origin that the mechanism exerts on the chassis, (3) of ground.py. */
static int find_wrench(Kernel *k, const State *state) {
    WITH_MODEL(k);
    const Chart *c = m->chart + state->chart;
    const double *value = k->instant->value, *rates = k->instant->rate;
    const double *V = k->inputs + m->twist, *Vd = k->inputs + m->twist_rate, *zdd = k->zdd;
    double h[6] = {0.0}, hdot[6] = {0.0}, gravity[3], S[3], Sdot[3], part[3], force[3], moment[3], own[12], ud[NZ_MOST];
    for (int i = 0; i < 3; i++) gravity[i] = k->parameters[m->gravity[i]];
    if (TRACKS) {
        kt_track_gravity(k, k->z, gravity);
        kt_quasi_accelerations(m, k->z, k->u, k->zdd, ud);
        kt_track_twist(m, k->u, own);
        kt_track_twist(m, ud, own + 6);
        V = own;
        Vd = own + 6;
        zdd = ud;
    }
    const double *w = V, *v = V + 3;
    for (int i = 0; i < 3; i++) {
        S[i] = value[c->S[i]];
        Sdot[i] = rates[c->S[i]];
        force[i] = m->mass * gravity[i];
    }
    const Inertia body = {m->mass, S, value + c->I, value + c->N}, rate = {0.0, Sdot, rates + c->I, rates + c->N};
    add_momentum(&body, NZ, V, k->u, h);
    add_momentum(&body, NZ, Vd, zdd, hdot);
    add_momentum(&rate, NZ, V, k->u, hdot);
    cross(S, gravity, moment);
    for (int p = 0; p < m->ports; p++) {
        const double *F = k->inputs + m->loads + 6 * p;
        cross(value + c->marker[m->port[p]].r, F, part);
        for (int i = 0; i < 3; i++) {
            moment[i] += F[3 + i] + part[i];
            force[i] += F[i];
        }
    }
    for (int p = 0; p < WHEELS && k->moments; p++) {
        const double *F = wheel_inputs(m, p, k->inputs) + WHEEL_F;
        double M[3];
        if (moment_of_wheel(k, p, k->instant, k->inputs, M)) return FAILED;
        cross(value + c->marker[m->wheel[p].marker].r, F, part);
        for (int i = 0; i < 3; i++) {
            moment[i] += M[i] + part[i];
            force[i] += F[i];
        }
    }
    cross(w, h, part);
    for (int i = 0; i < 3; i++) moment[i] -= hdot[i] + part[i];
    cross(v, h + 3, part);
    for (int i = 0; i < 3; i++) moment[i] -= part[i];
    cross(w, h + 3, part);
    for (int i = 0; i < 3; i++) {
        k->wrench[i] = force[i] - hdot[3 + i] - part[i];
        k->wrench[3 + i] = moment[i];
    }
    k->fresh |= WEIGHED;
    return OK;
}

/* Of an element, or of the bushing with Cardan angles that it is a direction of: then moments about axes. */
static double element_force(const Kernel *k, const State *state, int e) {
    WITH_MODEL(k);
    for (int i = 0; i < CARDANS; i++) {
        const int first = m->cardan[i];
        double s[6], rate[6], effort[6];
        if (e < first || e >= first + 6) continue;
        deflections_of(m, k->instant, state->lap, first, s);
        for (int l = 0; l < 6; l++) rate[l] = k->instant->rate[m->chart[state->chart].s + m->element[first + l].measure];
        const Turn t = turn_of(s + 3);
        spin(&t, rate + 3);
        efforts_of(k, first, s, rate, effort);
        return effort[e - first];
    }
    return plain_force(k, k->instant, state->lap, e);
}

static int find_loads(Kernel *k, const State *state) {
    if (weigh_loads(k, k->instant, state->lap, k->zdd, k->u, k->inputs, 1, k->load_weights)) return FAILED;
    k->fresh |= LOADED;
    return OK;
}

static double load_of(const Kernel *k, const Output *out, int row) {
    return load_from(out, k->instant->value + row, k->load_weights);
}

static double angle(const double *R, int which) {
    if (which == 0) return atan2(R[7], R[8]);
    return which == 1 ? atan2(-R[6], hypot(R[0], R[3])) : atan2(R[3], R[0]);
}

/* Force of the floor on the disc along ground axis i. */
static double contact_force(const Kernel *k, int i) {
    double R[9], p[3];
    kt_track_pose(k->m, k->z, R, p);
    return -dot(R + 3 * i, k->wrench);
}

/* Number `part` of what is shown of a marker on the track of a disc. */
static double carried(const Kernel *k, const State *state, int marker, int part) {
    WITH_MODEL(k);
    const MarkerRows *rows = m->chart[state->chart].marker + marker;
    const double *value = k->instant->value, *r = value + rows->r;
    double R[9], p[3], V[6], w[3], v[3], x[3], turn[9];
    kt_track_pose(m, k->z, R, p);
    if (part < 3) return p[part] + dot(R + 3 * part, r);
    if (part >= 9) {
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                turn[3 * i + j] = R[3 * i] * value[rows->R + j] + R[3 * i + 1] * value[rows->R + 3 + j] + R[3 * i + 2] * value[rows->R + 6 + j];
        return angle(turn, part - 9);
    }
    kt_track_twist(m, k->u, V);
    if (part < 6) {
        cross(V, r, v);
        for (int i = 0; i < 3; i++) x[i] = k->instant->rate[rows->r + i] + V[3 + i] + v[i];
        return dot(R + 3 * (part - 3), x);
    }
    for (int i = 0; i < 3; i++) {
        w[i] = V[i];
        for (int j = 0; j < NZ; j++) w[i] += value[rows->A + i * NZ + j] * k->zd[j];
    }
    return dot(R + 3 * (part - 6), w);
}

static double drive_force(const Kernel *k, int d) {
    WITH_MODEL(k);
    const int a = m->drive[d].axis;
    double force = -k->force[a];
    for (int i = 0; i < MOVED; i++) force += k->instant->value[entry(NZ, i, a)] * k->zdd[i];
    return force;
}

/* The model's coordinate `i`, its rate or acceleration (`order`), where there are several charts. */
static double chart_coordinate(const Kernel *k, const State *state, int i, int order) {
    WITH_MODEL(k);
    const Chart *c = m->chart + state->chart;
    const double *value = k->instant->value, *rate = k->instant->rate;
    double sum = 0.0;
    if (order == 0) return value[c->c + i] + state->lap * m->lap[i];
    for (int j = 0; j < NZ; j++) {
        const int row = c->G + i * NZ + j;
        sum += value[row] * (order == 1 ? k->zd : k->zdd)[j] + (order == 2 ? rate[row] * k->zd[j] : 0.0);
    }
    return sum;
}

/* Heading of u about z from that of another axis. */
static double heading(const double *u, const double *from) {
    return atan2(from[0] * u[1] - from[1] * u[0], from[0] * u[0] + from[1] * u[1]);
}

static double camber(const double *u) { return -atan2(u[2], hypot(u[0], u[1])); }

/* Of a wheel, from its spin axis u; (1) to (3) of outputs.py. */
static double wheel_angle(const Marker *marker, const double *R, int operation) {
    const double *axis = marker->spin, *design = marker->design, outboard[2] = {0.0, design[1] < 0.0 ? -1.0 : 1.0};
    double u[3];
    for (int i = 0; i < 3; i++) u[i] = R[3 * i] * axis[0] + R[3 * i + 1] * axis[1] + R[3 * i + 2] * axis[2];
    switch (operation) {
    case KT_STEER: return heading(u, design);
    case KT_STEER_ABSOLUTE: return heading(u, outboard);
    case KT_CAMBER: return camber(u);
    default: return camber(u) - camber(design);
    }
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

/* What is shown of the wheel asked for last. */
typedef struct { int wheel, operation; double part[KT_WHEEL_NUMBERS + NZ_MOST]; } ShownWheel;

static double motion_ratio(const Kernel *k, const State *state, const Output *out, const double *way) {
    WITH_MODEL(k);
    const int row = m->chart[state->chart].s + m->element[out->part].measure;
    double sum = 0.0;
    for (int j = 0; j < NF; j++) sum += k->instant->slope[(size_t)j * ROWS + row] * way[j];
    return out->factor * sum;
}

static int show_wheel(Kernel *k, const Output *out, ShownWheel *shown) {
    if (out->index == shown->wheel && out->operation == shown->operation) return OK;
    shown->wheel = out->index;
    shown->operation = out->operation;
    switch (out->operation) {
    case KT_WHEEL: return wheel_parts(k, out->index, k->instant, k->zd, k->inputs, shown->part);
    case KT_RATIO: find_way(k, k->instant, out->index, -1, shown->part); return OK;
    default: return axis_parts(k, out->index, k->instant, k->inputs, out->operation == KT_SCREW, shown->part);
    }
}

static double output(Kernel *k, const State *state, const Output *out, const ShownWheel *shown) {
    WITH_MODEL(k);
    const int row = out->row[state->chart], i = out->index, several = CHARTS > 1;
    const double *value = k->instant->value;
    double sum = 0.0;
    switch (out->operation) {
    case KT_COORDINATE: return several ? chart_coordinate(k, state, i, 0) : k->z[i];
    case KT_RATE: return several ? chart_coordinate(k, state, i, 1) : k->zd[i];
    case KT_ACCELERATION: return several ? chart_coordinate(k, state, i, 2) : k->zdd[i];
    case KT_DRIVE: return drive_force(k, i);
    case KT_ROW: return value[row] + state->lap * out->lap;
    case KT_ROW_RATE: return k->instant->rate[row];
    case KT_FORCE: return element_force(k, state, i);
    case KT_TURNING:
        for (int j = 0; j < NZ; j++) sum += value[row + j] * k->zd[j];
        return sum;
    case KT_ANGLE: return angle(value + row, i);
    case KT_STEER: case KT_STEER_ABSOLUTE: case KT_CAMBER: case KT_CAMBER_CHANGE:
        return wheel_angle(m->marker + i, value + row, out->operation);
    case KT_WRENCH: return k->wrench[i];
    case KT_ENERGY: return i == 0 ? k->energy[0] : k->energy[1] + k->energy[2] + (i == 2 ? k->energy[0] : 0.0);
    case KT_IN_RANGE: return !kt_departure(k, 0);
    case KT_CHART: return state->chart + 1.0;
    case KT_FREE: return kt_law_free(m->element[i].law, k->parameters);
    case KT_PRELOAD: return kt_law_force(m->element[i].law, k->parameters, m->element[i].law->design, 0.0);
    case KT_STEP_ERROR: return k->block[AT_ERROR];
    case KT_TABLE_ERROR: return kt_table_error(k, state->chart, k->z, i);
    case KT_WHEEL: case KT_GEOMETRIC: case KT_SCREW: return shown->part[out->part];
    case KT_RATIO: return motion_ratio(k, state, out, shown->part);
    case KT_LOAD: return load_of(k, out, row);
    case KT_CONTACT: return contact_force(k, i);
    case KT_CARRIED: return carried(k, state, i, out->part);
    case KT_DEVICE: return k->device_values[kt_value_of(m->device + i, out->part)];
    default: return 0.0;
    }
}

static int show(Kernel *k, const uint32_t *references, size_t n, double *values) {
    WITH_MODEL(k);
    const State state = kt_state(k);
    const Chart *c = m->chart + state.chart;
    unsigned needs = 0;
    int status = find_now(k, &state);
    if (status) return status;
    memset(k->wanted, 0, (size_t)(ROWS / KT_CHUNK / 64 + 1) * sizeof *k->wanted);
    for (size_t i = 0; i < n; i++)
        if (references[i] >= (uint32_t)m->outputs_at) needs |= needs_of(k, c, m->output + (references[i] - (uint32_t)m->outputs_at));
    needs &= ~k->fresh;
    if (m->pressing && needs & KT_SLOTS) needs |= FOUND; /* which finds them */
    if (needs & FOUND && (status = find_accelerations(k, &state))) return status;
    if ((status = read_wanted(k, &state))) return status;
    if (needs & KT_SLOTS && !m->pressing && (status = find_slots(k, &state))) return status;
    if (needs & SLOPED) {
        if ((status = read_slopes(k, k->instant, state.chart, k->z))) return status;
        k->fresh |= SLOPED;
    }
    if (needs & BALANCED) {
        energies(k, k->instant, state.lap, k->u, k->energy);
        if (TRACKS) k->energy[1] = kt_track_potential(k, k->instant);
        k->fresh |= BALANCED;
    }
    if (needs & WEIGHED && (status = find_wrench(k, &state))) return status;
    if (needs & LOADED && (status = find_loads(k, &state))) return status;
    ShownWheel shown = {.wheel = -1};
    for (size_t i = 0; i < n; i++) {
        if (references[i] < (uint32_t)m->outputs_at) continue;
        const Output *out = m->output + (references[i] - (uint32_t)m->outputs_at);
        if (WHEELS && out->operation >= KT_WHEEL && out->operation <= KT_SCREW && (status = show_wheel(k, out, &shown))) return status;
        values[i] = output(k, &state, out, &shown);
    }
    return OK;
}

/* The start state in equilibrium, where deflections are quasi-static. */
static int start(Kernel *k) {
    WITH_MODEL(k);
    State state = kt_state(k);
    take_memory(k, &state);
    return QUASISTATIC ? relax(k, k->instant, state.chart, state.z, state.zd, k->u, k->inputs) : OK;
}
