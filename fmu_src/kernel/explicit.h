/* Explicit Runge-Kutta steps; see integrator.py.  With the rows of the next stage read before the accelerations of this
 * one are found: reading needs only the rates. */

/* Where the next stage is, as a share of the step, and the weight of a stage. */
INLINE double next_of(const int stages, int stage) { return stages == 4 && stage == 2 ? 1.0 : 0.5; }
INLINE double weight_of(const int stages, int stage) {
    return stages == 2 ? stage : stage == 0 || stage == 3 ? 1.0 / 6.0 : 1.0 / 3.0;
}

static int explicit_step(Kernel *k, State *state, double tau, double h) {
    WITH_MODEL(k);
    const int stages = MIDPOINT ? 2 : 4;
    double z[NZ_MOST], zd[NZ_MOST], sum[NZ_MOST], sum_d[NZ_MOST], zdd[NZ_MOST], force[NZ_MOST], ahead[NZ_MOST], at = 0.0;
    double *sum_x = work_of(k, NEXT);
    int status = read_slopes(k, k->instant, state->chart, state->z); /* outputs may have done so */
    if (status) return status;
    take_memory(k, state);
    for (int i = 0; i < STATES; i++) sum_x[i] = 0.0;
    for (int i = 0; i < NZ; i++) {
        z[i] = state->z[i];
        zd[i] = state->zd[i];
        sum[i] = sum_d[i] = 0.0;
    }
    if (TRACKS) kt_roll(m, z, zd);
    for (int stage = 0; stage < stages; stage++) {
        const double weight = weight_of(stages, stage), next = next_of(stages, stage);
        RowSet *here = stage ? k->rows + stage % 2 : k->instant, *there = k->rows + (stage + 1) % 2;
        for (int i = 0; i < NZ; i++) {
            sum[i] += weight * zd[i];
            ahead[i] = state->z[i] + next * h * zd[i];
        }
        if (stage + 1 < stages && (status = read_slopes(k, there, state->chart, ahead))) return status;
        const double *inputs = inputs_at(k, tau + at * h);
        k->sloped = DEVICES && !stage;
        status = force_of(k, here, state->lap, zd, zd, inputs, force);
        k->sloped = 0;
        if (status) return status;
        if (DEVICES && !stage && !(swiftness(k, here, SWING / h) <= SWING / h)) return rosenbrock_step(k, state, tau, h);
        if ((status = solve_motion(k, here, z, zd, force, inputs, zdd))) return status;
        for (int i = 0; i < NZ; i++) {
            sum_d[i] += weight * zdd[i];
            zd[i] = state->zd[i] + next * h * zdd[i];
            z[i] = ahead[i];
        }
        if (TRACKS) kt_roll(m, z, zd);
        for (int i = 0; i < STATES; i++) {
            sum_x[i] += weight * k->device_rate[i];
            k->device_x[i] = state->x[i] + next * h * k->device_rate[i];
        }
        at = next;
    }
    for (int i = 0; i < NZ; i++) {
        state->z[i] += h * sum[i];
        state->zd[i] += h * sum_d[i];
    }
    if (TRACKS) kt_roll(m, state->z, state->zd);
    for (int i = 0; i < STATES; i++) state->x[i] += h * sum_x[i];
    keep_unknowns(k, state);
    return OK;
}
