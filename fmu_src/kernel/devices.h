/* Devices on their mechanism: their forces, and their part in implicit steps; see devices.py, tangent.py, rosenbrock.py and
 * midpoint.py, whose equations are named here.
 *
 * All that they do goes through their measures s, so what they add to the matrix B of a step has few columns, and w comes
 * from the inverse of B alone: with ds (nz, n) of all connections, without rows of driven coordinates where it acts,
 *
 *     (B + ds Z ds^T) w = a' + ds f,   Z = -(g F_sdot + g^2 F_s) - g F_x H,   H = S (g R_s + R_sdot)                    (1)
 *     a = B^-1 a',   Y = B^-1 ds,   N = ds^T Y,   w = a + Y (f - T (ds^T a + N f)),   T = (1 + Z N)^-1 Z              (2)
 *
 * S = (1/g - A)^-1 and what is made with it are found device by device.
 */

#define EACH_DEVICE for (const Device *d = m->device, *last = d + DEVICES; d < last; d++)

/* Vectors of work: of measures or of states; the last ones are those of stages of `rosenbrock`, or two of `midpoint`. */
enum { ALONG, MORE, ON_MEASURES, FORCES, RATES, NEXT, POWERS_OF, SPEEDS, ACCELERATIONS, STAGES_OF = SPEEDS };

INLINE double *work_of(const Kernel *k, int number) {
    WITH_MODEL(k);
    return k->device_work + (size_t)number * (size_t)(CONNECTIONS + STATES);
}

/* Where evaluations begin: with the states and unknowns of a state. */
INLINE void take_memory(Kernel *k, const State *state) {
    WITH_MODEL(k);
    if (!DEVICES) return;
    memcpy(k->device_x, state->x, (size_t)STATES * sizeof *state->x);
    memcpy(k->device_u, state->u, (size_t)m->unknowns * sizeof *state->u);
}

/* Unknowns as the last evaluation of a step has found them. */
INLINE void keep_unknowns(Kernel *k, State *state) {
    WITH_MODEL(k);
    if (DEVICES) memcpy(state->u, k->device_u, (size_t)m->unknowns * sizeof *state->u);
}

INLINE void read_connections(Kernel *k, const RowSet *set, int lap) {
    WITH_MODEL(k);
    const double *value = set->value + m->chart[set->chart].s, *rate = set->rate + m->chart[set->chart].s;
    for (int i = 0; i < CONNECTIONS; i++) {
        const struct Tie *tie = m->tie + i;
        k->device_values[tie->s] = value[tie->measure] + lap * tie->lap;
        k->device_values[tie->sdot] = rate[tie->measure];
    }
}

/* Forces of devices added to those on the coordinates, (nz), through measures whose slopes are kept. */
INLINE int add_devices(Kernel *k, const RowSet *set, int lap, const double *inputs, double *force) {
    WITH_MODEL(k);
    if (k->idle) return OK;
    read_connections(k, set, lap);
    if (kt_respond(k, inputs, k->sloped)) return FAILED;
    for (int i = 0; i < CONNECTIONS; i++) {
        const double *slope = set->slope + m->chart[set->chart].s + m->tie[i].measure, f = k->device_force[i];
        for (int j = 0; j < NZ; j++) force[j] += f * slope[(size_t)j * ROWS];
    }
    return OK;
}

/* L of J = L L^T (n, n); 0 if J is not positive. */
static int cholesky(double *J, int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = J[i * n + j];
            for (int l = 0; l < j; l++) sum -= J[i * n + l] * J[j * n + l];
            if (i == j && !(sum > 0.0 && sum < HUGE_VAL)) return 0;
            J[i * n + j] = i == j ? sqrt(sum) : sum / J[j * n + j];
        }
    return 1;
}
