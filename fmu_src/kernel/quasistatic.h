/* Stiff coordinates without inertia: deflections that follow the forces at once; see quasistatic.py. */

#define MOST_ITERATIONS 30
#define TOLERANCE 1e-12 /* of deflection and radius together */

/* K (ns, nz) -= second derivatives of rows with a product of deflections, whose weighted value and slopes along axes are
 * given. */
static void bend(const Kernel *k, const double *d, const int *factor, int count, const int *axis, int axes, double value,
                 const double *along, double *K) {
    const int nf = k->m->nf, nz = nf + k->m->ns;
    for (int p = 0; p < count; p++) {
        double *row = K + factor[p] * nz, left = 1.0;
        for (int i = 0; i < count; i++)
            if (i != p) left *= d[factor[i]];
        for (int a = 0; a < axes; a++) row[axis[a]] -= along[a] * left;
        for (int q = 0; q < count; q++) {
            double rest = value;
            for (int i = 0; i < count; i++)
                if (i != p && i != q) rest *= d[factor[i]];
            if (q != p) row[nf + factor[q]] -= rest;
        }
    }
}

/* Value and slopes of one cell, summed up over its rows with the loads on them. */
static void weighted_cell(const Place *at, const Block *b, size_t column, const double *on, double *value, double *along) {
    const int p = b->degree, n = b->nb == 0 ? 1 : b->nb == 1 ? p + 1 : b->nb == 2 ? (p + 1) * (p + 1) : (p + 1) * (p + 1) * (p + 1);
    *value = along[0] = along[1] = along[2] = 0.0;
    for (int e = 0; e < n; e++) {
        size_t place = column;
        double N = 1.0, D[KT_MOST_AXES] = {1.0, 1.0, 1.0};
        for (int a = b->nb - 1, rest = e; a >= 0; a--, rest /= p + 1) {
            const int g = b->grid[a], corner = rest % (p + 1);
            place += ((size_t)at->span[g] + (size_t)corner) * b->stride[a];
            N *= at->basis[g][corner];
            for (int f = 0; f < b->nb; f++) D[f] *= at->basis[g][corner + (f == a ? KT_WIDTH : 0)];
        }
        double sum = 0.0;
        for (int l = 0; l < KT_CHUNK; l++) sum += on[l] * b->coefficients[place + (size_t)l];
        *value += N * sum;
        for (int a = 0; a < b->nb; a++) along[a] += D[a] * sum;
    }
}

/* K (ns, nz) -= load times the second derivatives of the rows of the motion. */
static void add_curvature(const Kernel *k, int chart, const Place *at, const double *on, double *K) {
    const Chart *c = k->m->chart + chart;
    for (const Run *run = c->run, *end = run + c->run_end[KT_MOTION]; run < end; run++)
        for (int n = 0; n < run->chunks; n++)
            for (const Part *part = run->part, *last = part + run->parts; part < last; part++) {
                const Block *b = c->block + part->block;
                size_t column = (size_t)part->offset + (size_t)n * (size_t)part->step + (size_t)(part->plain * KT_CHUNK);
                int axis[KT_MOST_AXES];
                for (int a = 0; a < b->nb; a++) axis[a] = c->grid[b->grid[a]].axis;
                const int *factor = part->factor;
                for (int count = 1; count <= KT_FACTORS; count++)
                    for (int e = 0; e < part->times[count - 1]; e++, column += KT_CHUNK, factor += count) {
                        double value, along[KT_MOST_AXES];
                        weighted_cell(at, b, column, on + run->row + n * KT_CHUNK, &value, along);
                        bend(k, at->d, factor, count, axis, b->nb, value, along, K);
                    }
            }
}

/* Loads whose change with the place is a stiffness: of laws on measures, gravity on S, forces on ports. */
static void static_loads(Kernel *k, const RowSet *set, const double *inputs, double *on) {
    WITH_MODEL(k);
    const Chart *c = m->chart + set->chart;
    memset(on, 0, (size_t)ROWS * sizeof *on);
    for (int i = 0; i < 3; i++) on[c->S[i]] = k->parameters[m->gravity[i]];
    for (int p = 0; p < m->ports; p++)
        for (int i = 0; i < 3; i++) on[c->marker[m->port[p]].r + i] += inputs[m->loads + 6 * p + i];
    for (int w = 0; w < WHEELS; w++)
        for (int i = 0; i < 3; i++) on[c->marker[m->wheel[w].marker].r + i] += wheel_inputs(m, w, inputs)[WHEEL_F + i];
    for (int i = c->s; i < c->s + m->measures; i++) on[i] = k->push[i] - k->stiffness[i] * set->value[i];
    for (int i = 0; i < CONNECTIONS; i++) on[c->s + m->tie[i].measure] += k->device_force[i];
    for (int b = 0; b < BENDS; b++)
        on[c->s + m->bend[b].measure] += kt_law_force(m->bend[b].law, k->parameters, set->value[c->s + m->bend[b].measure], 0.0);
    for (int i = 0; i < COUPLINGS; i++) {
        const int a = c->s + m->element[m->coupling[i].a].measure, b = c->s + m->element[m->coupling[i].b].measure;
        on[a] -= k->parameters[m->coupling[i].stiffness] * set->value[b];
        on[b] -= k->parameters[m->coupling[i].stiffness] * set->value[a];
    }
    for (int i = 0; i < CARDANS; i++) {
        double more[6];
        turned_forces(k, set, 0, m->cardan[i], 0, more);
        for (int e = 0; e < 6; e++) on[c->s + m->element[m->cardan[i] + e].measure] += more[e];
    }
}

/* K (ns, nz) -= change of the moment of a wheel, and of how that acts. */
static void add_wheel_stiffness(Kernel *k, const RowSet *set, int w, const double *inputs, double *K) {
    WITH_MODEL(k);
    const MarkerRows *rows = m->chart[set->chart].marker + m->wheel[w].marker;
    const double *given = wheel_inputs(m, w, inputs);
    double M[3], dM[3];
    Disc at;
    if (find_disc(k, w, set->value + rows->R, given + WHEEL_N, &at)) return; /* the forces have said so */
    carrier_moment(&at, given, M);
    for (int j = 0; j < NZ; j++) {
        const double *slope = set->slope + (size_t)j * ROWS;
        carrier_moment_slope(m->wheel + w, &at, slope + rows->R, given, dM);
        for (int i = 0; i < NS; i++)
            for (int a = 0; a < 3; a++) {
                const int row = rows->A + a * NZ + NF + i;
                K[i * NZ + j] -= M[a] * slope[row] + dM[a] * set->value[row];
            }
    }
}

/* K (ns, nz) -= slopes of the forces of devices. */
static void add_device_stiffness(Kernel *k, const RowSet *set, double *K) {
    WITH_MODEL(k);
    const double *slope = set->slope + m->chart[set->chart].s;
    EACH_DEVICE {
        const double *F = k->device_F + d->slopes_at;
        const struct Tie *tie = m->tie + d->first_connection;
        for (int a = 0; a < d->connections; a++, F += d->width)
            for (int b = 0; b < d->connections; b++)
                for (int i = 0; i < NS; i++)
                    for (int j = 0; j < NZ; j++)
                        K[i * NZ + j] -= F[b] * slope[(size_t)(NF + i) * ROWS + tie[a].measure] * slope[(size_t)j * ROWS + tie[b].measure];
    }
}

/* Rows of the stiff coordinates of K = -dQ/dz without rates, (ns, nz). */
static void stiffness_of(Kernel *k, const RowSet *set, const Place *at, const double *inputs, double *K) {
    WITH_MODEL(k);
    const Chart *c = m->chart + set->chart;
    memset(k->K, 0, (size_t)(NZ * WIDE) * sizeof *K);
    memset(k->C, 0, (size_t)(NZ * WIDE) * sizeof *K);
    add_tangents(k, set, 0, 0, m->measures, k->K, k->C);
    for (int i = 0; i < NS; i++) memcpy(K + i * NZ, k->K + (NF + i) * WIDE, (size_t)NZ * sizeof *K);
    if (DEVICES) add_device_stiffness(k, set, K);
    for (int b = 0; b < CARDANS; b++) {
        const Element *e = m->element + m->cardan[b];
        double more[3][6];
        turned_slopes(k, set, m->cardan[b], more);
        for (int a = 0; a < 3; a++)
            for (int l = 0; l < 6; l++)
                for (int i = 0; i < NS; i++)
                    for (int j = 0; j < NZ; j++)
                        K[i * NZ + j] -= set->slope[(size_t)(NF + i) * ROWS + c->s + e[3 + a].measure] * more[a][l] *
                                         set->slope[(size_t)j * ROWS + c->s + e[l].measure];
    }
    static_loads(k, set, inputs, k->load);
    k->loaded = 0;
    add_curvature(k, set->chart, at, k->load, K);
    for (int w = 0; w < WHEELS && k->moments; w++) add_wheel_stiffness(k, set, w, inputs, K);
    for (int j = 0; j < NZ; j++)
        for (int i = 0; i < NS; i++) {
            const double *slope = set->slope + (size_t)j * ROWS;
            for (int p = 0; p < m->ports && k->moments; p++)
                for (int a = 0; a < 3; a++)
                    K[i * NZ + j] -= inputs[m->loads + 6 * p + 3 + a] * slope[c->marker[m->port[p]].A + a * NZ + NF + i];
            for (int a = 0; a < 6 && MOVING; a++) K[i * NZ + j] += inputs[m->twist_rate + a] * slope[c->N + a * NZ + NF + i];
        }
}

static int not_found(Kernel *k, const double *d) {
    WITH_MODEL(k);
    int worst = 0;
    for (int i = 1; i < m->ns; i++)
        if (fabs(d[i] - m->stiff[i].about) / m->stiff[i].radius > fabs(d[worst] - m->stiff[worst].about) / m->stiff[worst].radius)
            worst = i;
    const Stiff *s = m->stiff + worst;
    return kt_fail(k, FAILED,
                   "no static equilibrium of the stiff coordinates was found; '%s' went to %.6g %s, its tables hold in [%.6g, %.6g] %s: "
                   "check that every stiff coordinate is held by a bushing with a stiffness above zero, and the loads",
                   s->name, s->told * d[worst], s->unit, s->told * (s->about - s->radius), s->told * (s->about + s->radius),
                   s->unit);
}

/* What acts on a mechanism that is at rest in its ground, (nz), with devices at rest too. */
static int still_force(Kernel *k, const State *state, double *force) {
    WITH_MODEL(k);
    const double still[NZ_MOST] = {0.0};
    if (DEVICES) {
        int status = read_slopes(k, k->rows, state->chart, state->z);
        if (status) return status;
        take_memory(k, state);
        read_connections(k, k->rows, state->lap);
        if (kt_rest(k, k->inputs)) return FAILED;
    }
    return moving_force(k, k->rows, state->chart, state->lap, state->z, still, still, k->inputs, 1, force);
}

/* z and zd get the deflections, u the rates of what has inertia; rows are read there.  Devices stay in
 * their states, and find their unknowns from where they are, which stay too. */
static int relax(Kernel *k, RowSet *set, int chart, double *z, double *zd, double *u, const double *inputs) {
    WITH_MODEL(k);
    const int nf = NF, ns = NS, nz = NZ, columns = 1 + nf;
    double *K = k->M, *a = k->A, *right = k->work, Q[NZ_MOST], still[NZ_MOST] = {0.0}, *start = k->device_memory; /* unknowns */
    if (DEVICES) memcpy(start, k->device_u, (size_t)m->unknowns * sizeof *start);
    const int enough = MOVING ? 2 : 1; /* where convergence is only linear, one step more */
    for (int iteration = 0, found = 0; iteration < MOST_ITERATIONS; iteration++) {
        Place place;
        int status = find_places(k, chart, z, &place), small = 1, sound = 1;
        k->sloped = 1;
        if (!status) status = moving_force(k, set, chart, 0, z, still, still, inputs, 1, Q);
        k->sloped = 0;
        if (DEVICES) memcpy(k->device_u, start, (size_t)m->unknowns * sizeof *start);
        if (status) return status;
        stiffness_of(k, set, &place, inputs, K);
        for (int i = 0; i < ns; i++) {
            for (int j = 0; j < ns; j++) a[i * ns + j] = K[i * nz + nf + j];
            right[i * columns] = Q[nf + i];
            for (int j = 0; j < nf; j++) right[i * columns + 1 + j] = -K[i * nz + j];
        }
        if (!kt_lu_solve(a, ns, right, columns)) break;
        for (int i = 0; i < ns; i++) {
            double step = right[i * columns];
            sound &= isfinite(step) != 0;
            small &= fabs(step) <= TOLERANCE * (fabs(z[nf + i]) + m->stiff[i].radius);
        }
        if (!sound) break;
        found += small;
        for (int i = 0; i < ns && found < enough; i++) z[nf + i] += right[i * columns];
        if (found < enough) continue;
        for (int i = 0; i < ns; i++) {
            zd[nf + i] = 0.0;
            for (int j = 0; j < nf; j++) zd[nf + i] += right[i * columns + 1 + j] * zd[j];
        }
        for (int j = 0; j < nz; j++) u[j] = j < nf ? zd[j] : 0.0;
        return OK;
    }
    return not_found(k, z + nf);
}

/* Refuse a step for which devices are too fast. */
static int check_swiftness(Kernel *k, const RowSet *set, double h) {
    WITH_MODEL(k);
    const double bound = swiftness(k, set, SWING / h);
    if (bound <= SWING / h) return OK;
    return kt_fail(k, FAILED,
                   "elements move by themselves with up to %.6g 1/s; with quasi-static deflections steps are explicit and must be "
                   "shorter than %.3g s: reduce 'solver.step'",
                   bound, SWING / bound);
}

/* Runge-Kutta for the axes; the deflections at the end are in equilibrium with the inputs held so long. */
static int quasistatic_step(Kernel *k, State *state, double tau, double h) {
    WITH_MODEL(k);
    const int stages = MIDPOINT ? 2 : 4;
    double z[NZ_MOST], zd[NZ_MOST] = {0.0}, u[NZ_MOST], zdd[NZ_MOST], force[NZ_MOST], sum[NZ_MOST] = {0.0}, sum_d[NZ_MOST] = {0.0};
    double start[NZ_MOST], rate[NZ_MOST], at = 0.0, *sum_x = work_of(k, NEXT);
    take_memory(k, state);
    for (int i = 0; i < STATES; i++) sum_x[i] = 0.0;
    memcpy(z, state->z, (size_t)NZ * sizeof *z);
    memcpy(zd, state->zd, (size_t)NF * sizeof *z);
    memcpy(start, state->z, (size_t)NF * sizeof *z);
    memcpy(rate, state->zd, (size_t)NF * sizeof *z);
    for (int stage = 0; stage < stages; stage++) {
        const double weight = weight_of(stages, stage), next = next_of(stages, stage);
        const double *inputs = inputs_at(k, tau + at * h);
        int status = relax(k, k->rows, state->chart, z, zd, u, inputs);
        k->sloped = DEVICES && !stage;
        if (!status) status = moving_force(k, k->rows, state->chart, 0, z, zd, u, inputs, 1, force);
        k->sloped = 0;
        if (DEVICES && !stage && !status) status = check_swiftness(k, k->rows, h);
        if (!status) status = solve_motion(k, k->rows, z, zd, force, inputs, zdd);
        if (status) return status;
        for (int i = 0; i < NF; i++) {
            sum[i] += weight * zd[i];
            sum_d[i] += weight * zdd[i];
            z[i] = start[i] + next * h * zd[i];
            zd[i] = rate[i] + next * h * zdd[i];
        }
        for (int i = 0; i < STATES; i++) {
            sum_x[i] += weight * k->device_rate[i];
            k->device_x[i] = state->x[i] + next * h * k->device_rate[i];
        }
        at = next;
    }
    memcpy(state->z + NF, z + NF, (size_t)NS * sizeof *z);
    for (int i = 0; i < NF; i++) {
        state->z[i] = start[i] + h * sum[i];
        state->zd[i] = rate[i] + h * sum_d[i];
    }
    for (int i = 0; i < STATES; i++) k->device_x[i] = state->x[i] += h * sum_x[i];
    keep_unknowns(k, state);
    return relax(k, k->rows, state->chart, state->z, state->zd, u, inputs_at(k, tau + h));
}
