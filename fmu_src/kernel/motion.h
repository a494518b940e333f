/* The equations of motion at one place; see dynamics.py, inputs.py and ground.py.  Numbers in brackets are theirs. */

static const int SYMMETRIC[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}}; /* entries of I among xx, yy, zz, xy, xz, yz */

/* Where an entry of J lies among the upper triangle row by row. */
INLINE int entry(const int nz, int i, int j) { return i < j ? i * nz - i * (i - 1) / 2 + j - i : j * nz - j * (j - 1) / 2 + i - j; }

/* The inputs at the time tau after the start of a communication step.  A twist follows its rate. */
INLINE const double *inputs_at(Kernel *k, double tau) {
    WITH_MODEL(k);
    if (tau == 0.0 || !(MOVING || k->has_rates)) return k->inputs;
    double *now = k->now;
    for (int i = 0; i < m->inputs; i++) now[i] = k->inputs[i] + (k->has_rates ? tau * k->rates[i] : 0.0);
    for (int i = 0; i < 6 && MOVING; i++) {
        double rate = k->inputs[m->twist_rate + i], second = k->rates[m->twist_rate + i];
        now[m->twist + i] = k->inputs[m->twist + i] + tau * (rate + 0.5 * tau * second);
    }
    return now;
}

/* --- loads -------------------------------------------------------------------------------------------------------- */

/* Linear laws, summed up per measure; when parameters, chart or lap have changed. */
APART void push(Kernel *k, int chart, int lap) {
    WITH_MODEL(k);
    const Chart *c = m->chart + chart;
    const double *p = k->parameters;
    if (k->pushed_chart == chart && k->pushed_lap == lap) return;
    k->pushed_chart = chart;
    k->pushed_lap = lap;
    k->loaded = 0; /* loads have these laws in them */
    memset(k->push, 0, (size_t)ROWS * sizeof *k->push);
    memset(k->stiffness, 0, (size_t)ROWS * sizeof *k->push);
    memset(k->damping, 0, (size_t)ROWS * sizeof *k->push);
    for (int e = 0; e < m->elements; e++) {
        const int row = c->s + m->element[e].measure;
        for (const Law *law = m->element[e].law, *end = law + m->element[e].laws; law < end; law++) {
            if (!kt_law_linear(law)) continue;
            double along = 0.0, rate = 0.0, gone = lap * m->element[e].lap;
            kt_law_slopes(law, p, 0.0, 0.0, &along, &rate);
            k->push[row] += kt_law_force(law, p, 0.0, 0.0) + along * gone;
            k->stiffness[row] -= along;
            k->damping[row] -= rate;
        }
    }
}

/* Loads on rows but those of J: gravity, forces on ports, linear laws; and what a moving ground does, (2) of ground.py.
 * They last as long as inputs and parameters do. */
APART void set_loads(Kernel *k, int chart, int lap, const double *u, const double *inputs) {
    WITH_MODEL(k);
    const Chart *c = m->chart + chart;
    double *load = k->load;
    push(k, chart, lap);
    memcpy(load, k->push, (size_t)c->end[KT_MOMENTS] * sizeof *load);
    for (int i = 0; i < 3; i++) load[c->S[i]] = k->parameters[m->gravity[i]];
    for (int p = 0; p < m->ports; p++)
        for (int i = 0; i < 3; i++) load[c->marker[m->port[p]].r + i] += inputs[m->loads + 6 * p + i];
    for (int w = 0; w < WHEELS; w++)
        for (int i = 0; i < 3; i++) load[c->marker[m->wheel[w].marker].r + i] += wheel_inputs(m, w, inputs)[WHEEL_F + i];
    k->loaded = !MOVING && inputs == k->inputs;
    if (!MOVING) return;
    const double *V = inputs + m->twist, *w = V, *v = V + 3;
    double vw[3];
    cross(v, w, vw);
    for (int i = 0; i < 3; i++) load[c->S[i]] += vw[i];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < NZ; j++) load[c->N + i * NZ + j] = V[i] * u[j];
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) load[c->I + SYMMETRIC[i][j]] = (i == j ? 0.5 : 1.0) * w[i] * w[j];
}

INLINE void keep_loads(Kernel *k, int chart, int lap, const double *u, const double *inputs) {
    if (!k->loaded || k->pushed_chart != chart || k->pushed_lap != lap || inputs != k->inputs) set_loads(k, chart, lap, u, inputs);
}

/* Loads on the rows of J: 1/2 u (dJ/dz) u of (2). */
INLINE void set_products(const int nz, const double *u, double *load) {
    UNROLL for (int i = 0, e = 0; i < nz; i++)
        UNROLL for (int j = i; j < nz; j++, e++) load[e] = (i == j ? 0.5 : 1.0) * u[i] * u[j];
}

/* The same added to forces, of rows whose slopes are there: for few coordinates, since loads that are stored one by one and
 * loaded together take their time. */
INLINE void add_products(const int nz, const double *u, const double *slope, size_t rows, double *force) {
    UNROLL for (int i = 0, e = 0; i < nz; i++)
        UNROLL for (int j = i; j < nz; j++, e++) {
            const double product = (i == j ? 0.5 : 1.0) * u[i] * u[j];
            UNROLL for (int l = 0; l < nz; l++) force[l] += product * slope[(size_t)l * rows + (size_t)e];
        }
}

/* --- forces ------------------------------------------------------------------------------------------------------- */

/* y -= S x for an upper triangle by rows; each sum by itself, so that no number is stored alone and loaded with others */
INLINE void subtract_product(const int nz, const double *S, const double *x, double *y) {
    double sum[NZ_MOST];
    for (int i = 0; i < nz; i++) sum[i] = 0.0;
    UNROLL for (int i = 0, e = 0; i < nz; i++)
        UNROLL for (int j = i; j < nz; j++, e++) {
            sum[i] += S[e] * x[j];
            if (j > i) sum[j] += S[e] * x[i];
        }
    for (int i = 0; i < nz; i++) y[i] -= sum[i];
}

/* Laws that are not linear, and couplings: on measures whose slopes are kept. */
INLINE void add_bends(Kernel *k, const RowSet *set, int lap, double *force) {
    WITH_MODEL(k);
    const Chart *c = m->chart + set->chart;
    const double *p = k->parameters;
    for (int i = 0; i < BENDS; i++) {
        const int row = c->s + m->bend[i].measure;
        const double f = kt_law_force(m->bend[i].law, p, set->value[row] + lap * m->bend[i].lap, set->rate[row]);
        for (int j = 0; j < NZ; j++) force[j] += f * set->slope[(size_t)j * ROWS + row];
    }
    for (int i = 0; i < COUPLINGS; i++) {
        const Coupling *pair = m->coupling + i;
        const Element *e[2] = {m->element + pair->a, m->element + pair->b};
        for (int side = 0; side < 2; side++) {
            const int on = c->s + e[side]->measure, by = c->s + e[1 - side]->measure;
            const double f = -p[pair->stiffness] * (set->value[by] + lap * e[1 - side]->lap) - p[pair->damping] * set->rate[by];
            for (int j = 0; j < NZ; j++) force[j] += f * set->slope[(size_t)j * ROWS + on];
        }
    }
}

/* What does not act through slopes of rows: rates of the inertia, motion of the ground, moments also of wheels, generalized
 * forces. */
INLINE int add_others(Kernel *k, const RowSet *set, const double *u, const double *inputs, double *force) {
    WITH_MODEL(k);
    const Chart *c = m->chart + set->chart;
    subtract_product(NZ, set->rate, u, force);
    if (MOVING)
        for (int j = 0; j < NZ; j++)
            for (int i = 0; i < 6; i++) {
                const int row = c->N + i * NZ + j;
                force[j] -= inputs[m->twist_rate + i] * set->value[row] + inputs[m->twist + i] * set->rate[row];
            }
    for (int p = 0; p < m->ports && k->moments; p++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < NZ; j++)
                force[j] += set->value[c->marker[m->port[p]].A + i * NZ + j] * inputs[m->loads + 6 * p + 3 + i];
    for (int w = 0; w < WHEELS && k->moments; w++) {
        double M[3];
        if (moment_of_wheel(k, w, set, inputs, M)) return FAILED;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < NZ; j++) force[j] += set->value[c->marker[m->wheel[w].marker].A + i * NZ + j] * M[i];
    }
    if (CHARTS == 1)
        for (int i = 0; i < m->forced; i++) force[m->forced_axis[i]] += inputs[i];
    else
        for (int i = 0; i < m->forced; i++)
            for (int j = 0; j < NZ; j++) force[j] += inputs[i] * set->value[c->G + i * NZ + j];
    return OK;
}

/* Rows that moments act through; here once, since it is long. */
APART void read_moments(Kernel *k, int chart, const Place *place, const double *z, const Work *w) {
    read_need(PLAIN, k, chart, KT_MOMENTS, place, z, w);
}

/* Rows of the motion with their slopes; nothing if they are there already. */
LONG int read_slopes(Kernel *k, RowSet *set, int chart, const double *z) {
    WITH_MODEL(k);
    Place place;
    const int needs = 1 | k->across << 1 | k->moments << 2;
    int same = set->chart == chart && (set->sloped & needs) == needs;
    for (int i = 0; i < NZ; i++) same &= z[i] == set->z[i];
    if (same) return OK;
    set->chart = -1;
    int status = find_places(k, chart, z, &place);
    if (status) return status;
    const Work w = {.value = set->value, .slope = set->slope, .wanted = k->every, .rows = (size_t)ROWS};
    if (NS && MIDPOINT && !QUASISTATIC) status = kt_read_any(k, chart, KT_MOTION, z, SLOPES, &w); /* not at every step */
    else read_need(SLOPES, k, chart, KT_MOTION, &place, z, &w);
    if (k->across && !status) status = kt_read_any(k, chart, KT_ACROSS, z, SLOPES, &w);
    if (k->moments && !QUASISTATIC) read_moments(k, chart, &place, z, &w);
    else if (k->moments && !status) status = kt_read_any(k, chart, KT_MOMENTS, z, SLOPES, &w);
    if (status) return status;
    memcpy(set->z, z, (size_t)NZ * sizeof *z);
    set->chart = chart;
    set->sloped = needs;
    return OK;
}

/* The rule (1) of rows.h for rows that are there with their slopes, up to `end`. */
INLINE void act_on_slopes(Kernel *k, RowSet *set, const double *zd, int begin, int end, vec *part) {
    WITH_MODEL(k);
    for (int row = begin; row < end; row += LANES) {
        Chunk r;
        r.value = load(set->value + row);
        UNROLL for (int i = 0; i < NZ; i++) r.along[i] = load(set->slope + (size_t)i * ROWS + row);
        const Work w = {.value = set->value, .rate = set->rate, .zd = zd, .load = k->load, .stiffness = k->stiffness,
                        .damping = k->damping, .part = part, .rows = (size_t)ROWS};
        finish(ACT, 0, &w, row, NZ, &r);
    }
}

static int press_devices(Kernel *k, RowSet *set, int lap, const double *zd, const double *u, const double *inputs, double *force);

/* Q + Q_frame - c, (nz), of rows that are there with their slopes; u (nz) is zd without the rates of what has no inertia. */
INLINE int force_of(Kernel *k, RowSet *set, int lap, const double *zd, const double *u, const double *inputs, double *force) {
    WITH_MODEL(k);
    const Chart *c = m->chart + set->chart;
    vec part[NZ_MOST];
    double quasi[NZ_MOST];
    if (TRACKS) {
        kt_quasi_rates(m, set->z, zd, quasi);
        zd = u = quasi;
    }
    keep_loads(k, set->chart, lap, u, inputs);
    if (NS) set_products(NZ, u, k->load);
    for (int i = 0; i < NZ; i++) part[i] = zero();
    act_on_slopes(k, set, zd, 0, c->end[KT_MOTION], part);
    if (k->across) act_on_slopes(k, set, zd, c->end[KT_MOTION], c->end[KT_ACROSS], part);
    if (k->moments && QUASISTATIC) act_on_slopes(k, set, zd, c->end[KT_ACROSS], c->end[KT_MOMENTS], part);
    for (int i = 0; i < NZ; i++) force[i] = sum_of(part[i]);
    if (!NS) add_products(NZ, u, set->slope, (size_t)ROWS, force);
    if (BENDS || COUPLINGS) add_bends(k, set, lap, force);
    if (CARDANS) add_turned(k, set, lap, force);
    if (DEVICES && !m->pressing && add_devices(k, set, lap, inputs, force)) return FAILED;
    if (TRACKS) kt_add_track_force(k, set, u, force);
    const int status = add_others(k, set, u, inputs, force);
    return status || !(DEVICES && m->pressing) ? status : press_devices(k, set, lap, zd, u, inputs, force);
}

/* The same with rows read on the way, whose slopes need not be stored; those of all are if `keep`.  It is long with
 * deflections, and then there once. */
LONG int moving_force(Kernel *k, RowSet *set, int chart, int lap, const double *z, const double *zd, const double *u,
                        const double *inputs, const int keep, double *force) {
    WITH_MODEL(k);
    int status;
    if (NS == 0 || QUASISTATIC || keep) {
        if ((status = read_slopes(k, set, chart, z))) return status;
        return force_of(k, set, lap, zd, u, inputs, force);
    }
    vec part[NZ_MOST];
    Place place;
    keep_loads(k, chart, lap, u, inputs);
    set_products(NZ, u, k->load);
    for (int i = 0; i < NZ; i++) part[i] = zero();
    set->chart = -1;
    if ((status = find_places(k, chart, z, &place))) return status;
    const Work w = {.value = set->value, .rate = set->rate, .slope = set->slope, .zd = zd, .load = k->load, .wanted = k->every,
                    .stiffness = k->stiffness, .damping = k->damping, .part = part, .rows = (size_t)ROWS};
    read_need(ACT, k, chart, KT_MOTION, &place, z, &w);
    if (k->moments) read_moments(k, chart, &place, z, &w);
    if (k->across) {
        if ((status = kt_read_any(k, chart, KT_ACROSS, z, SLOPES, &w))) return status;
        const Chart *c = m->chart + chart;
        act_on_slopes(k, set, zd, c->end[KT_MOTION], c->end[KT_ACROSS], part);
    }
    memcpy(set->z, z, (size_t)NZ * sizeof *z);
    set->chart = chart;
    set->sloped = 0;
    for (int i = 0; i < NZ; i++) force[i] = sum_of(part[i]);
    if (BENDS || COUPLINGS) add_bends(k, set, lap, force);
    if (CARDANS) add_turned(k, set, lap, force);
    if (DEVICES && add_devices(k, set, lap, inputs, force)) return FAILED;
    return add_others(k, set, u, inputs, force);
}

/* --- accelerations ------------------------------------------------------------------------------------------------ */

INLINE double drive_acceleration(const Drive *drive, const double *z, const double *zd, const double *inputs) {
    double T = drive->filter_time;
    if (T == 0.0) return inputs[drive->first + 2];
    return (inputs[drive->first] - z[drive->axis]) / (T * T) - 2.0 * zd[drive->axis] / T;
}

APART int bad_inertia(Kernel *k, int chart, int i, double pivot) {
    return kt_fail(k, NO_INERTIA,
                   "the inertia of '%s' is %.6g: it must be positive; a coordinate is too far outside its table, or the bodies "
                   "that it moves have no mass",
                   kt_name(k->m, chart, i), pivot);
}

APART int diverged(Kernel *k, int chart, const double *zdd) {
    for (int i = 0; i < k->m->nf + k->m->ns; i++)
        if (!isfinite(zdd[i]))
            return kt_fail(k, FAILED,
                           "the motion diverged: the acceleration of '%s' is %g; reduce 'solver.step' or check the forces and "
                           "rates",
                           kt_name(k->m, chart, i), zdd[i]);
    return OK;
}

/* Accelerations (nz) from what accelerates the coordinates: J zdd = force for those that have inertia, the others are zero;
 * those of driven ones are known.  By L D L^T. */
INLINE int solve_motion(Kernel *k, const RowSet *set, const double *z, const double *zd, const double *force,
                        const double *inputs, double *zdd) {
    WITH_MODEL(k);
    const int n = MOVED;
    double L[NZ_MOST][NZ_MOST], x[NZ_MOST], per[NZ_MOST];
    UNROLL for (int i = 0; i < n; i++) {
        x[i] = force[i];
        UNROLL for (int j = i; j < n; j++) L[i][j] = set->value[entry(NZ, i, j)];
    }
    for (int d = 0; d < DRIVES; d++) {
        const int a = m->drive[d].axis;
        const double known = drive_acceleration(m->drive + d, z, zd, inputs);
        for (int i = 0; i < n; i++) {
            if (i != a) x[i] -= (i < a ? L[i][a] : L[a][i]) * known;
            if (i < a) L[i][a] = 0.0; else L[a][i] = 0.0;
        }
        L[a][a] = 1.0;
        x[a] = known;
    }
    UNROLL for (int i = 0; i < n; i++) {
        if (!(L[i][i] > 0.0 && L[i][i] < HUGE_VAL)) return bad_inertia(k, set->chart, i, L[i][i]);
        per[i] = 1.0 / L[i][i];
        UNROLL for (int j = i + 1; j < n; j++) {
            const double f = L[i][j] * per[i];
            UNROLL for (int l = j; l < n; l++) L[j][l] -= f * L[i][l];
            x[j] -= f * x[i];
        }
    }
    double sum = 0.0;
    UNROLL for (int i = n - 1; i >= 0; i--) {
        UNROLL for (int j = i + 1; j < n; j++) x[i] -= L[i][j] * zdd[j];
        zdd[i] = x[i] * per[i];
        sum += zdd[i];
    }
    for (int i = n; i < NZ; i++) zdd[i] = 0.0;
    if (!isfinite(sum)) return diverged(k, set->chart, zdd);
    if (TRACKS) kt_ground_accelerations(m, z, zd, zdd);
    return OK;
}
