/* An instance as FMI sees it: variables, phases, steps, saved states; see instance.py. */
#include "kernel.h"

#include <stdarg.h>

#define MOST_SUBSTEPS 1000000
#define TIME_TOLERANCE 1e-9 /* of max(1 s, time): how far the master's clock may be from ours */

int kt_version(void) { return KT_VERSION; }
int kt_out_of_table(const Kernel *k) { return k->fault.kind == OUT_OF_TABLE; }
size_t kt_count(const Kernel *k) { return (size_t)k->m->variables; }
const char *kt_guid(const Kernel *k) { return k->m->guid; }
double kt_time(const Kernel *k) { return k->block[AT_TIME]; }
kt_phase kt_phase_of(const Kernel *k) { return (kt_phase)(int)k->block[AT_PHASE]; }

int kt_fail(Kernel *k, int kind, const char *format, ...) {
    Fault *fault = &k->fault;
    int texts = 0, numbers = 0;
    va_list arguments;
    *fault = (Fault){.kind = kind, .format = format};
    va_start(arguments, format);
    for (const char *at = strchr(format, '%'); at; at = strchr(at + 1, '%')) {
        at += strcspn(at, "sdg");
        if (*at == 's') fault->text[texts++] = va_arg(arguments, const char *);
        else fault->number[numbers++] = *at == 'd' ? va_arg(arguments, int) : va_arg(arguments, double);
    }
    va_end(arguments);
    return kind;
}

State kt_state(Kernel *k) {
    double *block = k->block, *z = block + AT_Z;
    const int wide = padded(k->m->nf + k->m->ns);
    double *x = k->memory_of_devices, *u = x + k->m->states;
    return (State){(int)block[AT_CHART], (int)block[AT_LAP], z, z + wide, z + 2 * wide, z + 3 * wide,
                   block + AT_AGE, z + 4 * wide, z + 5 * wide, x, u, u + k->m->unknowns};
}

/* --- memory ------------------------------------------------------------------------------------------------------ */

/* The next piece of memory; only counted if there is none. */
static void *piece(char *memory, size_t *used, size_t count, size_t size) {
    void *found = memory ? memory + *used : NULL;
    *used += (count * size + 63) / 64 * 64;
    return found;
}

#define TAKE(pointer, count) (pointer) = piece(memory, used, (count), sizeof *(pointer))

/* Of devices. */
static void lay_out_devices(const Model *m, Kernel *k, char *memory, size_t *used) {
    const size_t n = (size_t)m->connections, nx = (size_t)m->states, wide = (size_t)padded(m->nf + m->ns) + KT_CHUNK;
    const size_t blocks = m->device_slopes + nx * KT_MOST_ACTIVE, active = (size_t)m->most_active;
    if (!m->devices) return;
    TAKE(k->device_force, n);
    double **matrices[] = {&k->woven.N, &k->woven.Z, &k->woven.T, &k->woven.left};
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) TAKE(*matrices[i], n * n);
    double **of_devices[] = {&k->woven.S, &k->woven.E, &k->woven.H};
    for (size_t i = 0; i < sizeof of_devices / sizeof *of_devices; i++) TAKE(*of_devices[i], blocks);
    TAKE(k->woven.ds, n * wide);
    TAKE(k->woven.Y, n * wide);
    TAKE(k->device_x, nx);
    TAKE(k->device_rate, nx);
    TAKE(k->device_u, (size_t)m->unknowns);
    TAKE(k->device_F, m->device_slopes);
    TAKE(k->device_values, (size_t)m->device_values);
    TAKE(k->device_slopes, (size_t)m->most_rows_of_slopes);
    TAKE(k->newton, 2 * (active + 1) * (active + 1)); /* a matrix and as many right sides */
    TAKE(k->swift, (n + 2) * (2 * n + nx));
    TAKE(k->device_work, KT_DEVICE_WORK * (n + nx));
    TAKE(k->device_memory, kt_memory(m));
    if (!m->pressing) return;
    const size_t nz = (size_t)(m->nf + m->ns);
    TAKE(k->pressing_weights, (size_t)m->load_rows);
    TAKE(k->pressing_rows, ((size_t)m->most_rows + KT_CHUNK) / KT_CHUNK / 64 + 1);
    TAKE(k->follow, nz * n);
}

#undef TAKE

/* Places of everything in an instance; with k NULL only its size. */
static size_t lay_out(const Model *m, Kernel *k, char *memory) {
    Kernel blank;
    size_t used = 0, nz = (size_t)(m->nf + m->ns), wide = (size_t)padded((int)nz), rows = (size_t)m->most_rows + KT_CHUNK;
    size_t matrix = (wide + KT_CHUNK) * (wide + KT_CHUNK), inputs = (size_t)m->inputs + 1;
    if (!k) k = &blank;
    k->block_size = AT_Z + KT_VECTORS * wide + kt_memory(m) + (size_t)m->inputs + (size_t)m->variables;
#define TAKE(pointer, count) (pointer) = piece(memory, &used, (count), sizeof *(pointer))
    piece(memory, &used, 1, sizeof *k);
    TAKE(k->block, k->block_size);
    k->state_numbers = AT_Z - AT_AGE + KT_VECTORS * wide + kt_memory(m);
    TAKE(k->saved, k->state_numbers);
    TAKE(k->before_step, k->state_numbers);
    TAKE(k->after_step, k->state_numbers);
    TAKE(k->before_border, m->contacts ? k->state_numbers * KT_MOST_BORDERS : 0);
    TAKE(k->parameters, (size_t)m->parameters);
    TAKE(k->design, (size_t)m->designs);
    TAKE(k->inputs, inputs);
    TAKE(k->now, inputs);
    TAKE(k->before, (size_t)(m->outputs_at - m->first_input) + 1);
    for (int i = 0; i < 3; i++) {
        RowSet *set = i < 2 ? k->rows + i : k->instant;
        TAKE(set->z, wide);
        TAKE(set->value, rows);
        TAKE(set->rate, rows);
        TAKE(set->slope, nz * rows);
    }
    TAKE(k->span, (size_t)m->charts * KT_MOST_GRIDS);
    TAKE(k->weights, m->weights + KT_CHUNK);
    TAKE(k->push, rows);
    TAKE(k->load, rows);
    TAKE(k->stiffness, rows);
    TAKE(k->damping, rows);
    double **matrices[] = {&k->M, &k->C, &k->K, &k->A, &k->K1, &k->C1, &k->work};
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) TAKE(*matrices[i], matrix);
    TAKE(k->load_weights, (size_t)m->load_rows);
    TAKE(k->M_then, nz * (nz + 1) / 2);
    TAKE(k->error_functions, (size_t)(m->functions + m->ns + m->most_products) + 1);
    TAKE(k->bend_slopes, 4 * (size_t)m->bends + 1);
    TAKE(k->wanted, rows / KT_CHUNK / 64 + 1);
    TAKE(k->shown, rows / KT_CHUNK / 64 + 1);
    TAKE(k->every, rows / KT_CHUNK / 64 + 1);
    lay_out_devices(m, k, memory, &used);
    double **vectors[] = {&k->z, &k->zd, &k->u, &k->zdd, &k->force};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) TAKE(*vectors[i], wide);
    if (!memory) return used;
    k->memory_of_devices = k->block + AT_Z + KT_VECTORS * wide;
    k->rates = k->memory_of_devices + kt_memory(m);
    k->values = k->rates + m->inputs;
    return used;
}

size_t kt_instance_bytes(const Model *m) { return lay_out(m, NULL, NULL); }

Kernel *kt_make(const Model *m, void *memory) {
    Kernel *k = memory;
    lay_out(m, k, memory);
    k->m = m;
    k->hot = kt_hot();
    memset(k->every, 0xFF, ((size_t)m->most_rows / KT_CHUNK / 64 + 1) * sizeof *k->every);
    kt_reset(k);
    return k;
}

static kt_status status_of(int result) { return result ? KT_ERROR : KT_OK; }

/* Outputs no longer fit. */
static void changed(Kernel *k) { k->fresh = 0; }

/* --- starting ---------------------------------------------------------------------------------------------------- */

static void start_state(Kernel *k) {
    const Model *m = k->m;
    k->block[AT_CHART] = k->block[AT_LAP] = k->block[AT_PACE] = k->served_step = 0.0;
    k->block[AT_ERROR] = -1.0;
    State state = kt_state(k);
    *state.age = 0.0;
    const int nz = m->nf + m->ns;
    memset(state.z, 0, (KT_VECTORS * (size_t)padded(nz) + kt_memory(m)) * sizeof *state.z);
    memcpy(state.z, m->start_number, (size_t)nz * sizeof *state.z);
    memcpy(state.zd, m->start_number + nz, (size_t)nz * sizeof *state.zd);
    for (int i = 0; i < m->starts; i++) {
        int place = m->start[i].place;
        *(place < nz ? state.z + place : place < 2 * nz ? state.zd + place - nz : state.x + place - 2 * nz) =
            k->values[m->start[i].reference];
    }
    if (m->tracks) kt_roll(m, state.z, state.zd);
    for (int d = 0; d < m->devices; d++)
        for (int i = 0; i < m->device[d].unknowns; i++) state.u[m->device[d].first_unknown + i] = m->device[d].unknown[i].start;
}

kt_status kt_reset(Kernel *k) {
    const Model *m = k->m;
    k->block[AT_PHASE] = KT_INSTANTIATED;
    k->block[AT_TIME] = 0.0;
    for (int i = 0; i < m->variables; i++) k->values[i] = m->variable[i].start;
    k->rows[0].chart = k->rows[1].chart = k->instant->chart = k->pushed_chart = -1;
    k->unchecked = k->ungathered = 1;
    k->warned = k->has_rates = k->lost = 0;
    k->sensible = HUGE_VAL;
    memset(k->rates, 0, (size_t)m->inputs * sizeof *k->rates);
    k->fault = (Fault){0};
    start_state(k);
    changed(k);
    return KT_OK;
}

/* --- variables --------------------------------------------------------------------------------------------------- */

/* The model at the design parameters that are set, if these are others than before. */
static void fold(Kernel *k) {
    const Model *m = k->m;
    int changed = 0;
    for (int i = 0; i < m->designs; i++) {
        const double p = k->values[m->design[i].reference];
        changed |= k->design[i] != p;
        k->design[i] = p;
    }
    if (!changed) return;
    kt_fold(m, k->design);
    k->rows[0].chart = k->rows[1].chart = k->instant->chart = -1;
    k->lawful = 0;
}

/* Parameters and inputs as the equations want them; refuses parameters that no law can use. */
static int gather(Kernel *k) {
    const Model *m = k->m;
    if (!k->ungathered) return OK;
    if (k->unchecked) fold(k);
    int changed = k->unchecked && !k->lawful;
    for (int i = 0; k->unchecked && i < m->parameters; i++) {
        double value = k->values[m->parameter[i]];
        changed |= k->parameters[i] != value;
        k->parameters[i] = value;
    }
    if (changed) {
        k->lawful = 0;
        k->served_step = 0.0;
        if (kt_check_laws(k)) return FAILED;
        k->lawful = 1;
        kt_set_devices(k);
        k->fixed_known = 0;
        k->pushed_chart = -1;
    }
    k->unchecked = 0;
    memcpy(k->inputs, k->values + m->inputs_at, (size_t)m->inputs * sizeof *k->inputs);
    k->moments = 0;
    for (int p = 0; p < m->ports; p++)
        for (int i = 3; i < 6; i++)
            k->moments |= k->inputs[m->loads + 6 * p + i] != 0.0 || k->rates[m->loads + 6 * p + i] != 0.0;
    for (int w = 0; w < m->wheels; w++)
        for (int i = 0; i < 7; i++) { /* force, moment, torque */
            const int at = m->wheel_inputs + KT_WHEEL_INPUTS * w + i;
            k->moments |= k->inputs[at] != 0.0 || k->rates[at] != 0.0;
        }
    k->across = 0;
    for (int i = 0; i < 3; i++)
        k->across |= m->chart->S[i] >= m->chart->end[KT_MOTION] && k->parameters[m->gravity[i]] != 0.0;
    k->ungathered = k->loaded = 0;
    return OK;
}

/* What went wrong at the time of the state, said with it. */
static int at_time(Kernel *k, int status) {
    if (status) {
        k->fault.when = AT;
        k->fault.from = k->block[AT_TIME];
    }
    return status;
}

static int show(Kernel *k, const uint32_t *references, size_t n, double *values) {
    return at_time(k, k->hot->show(k, references, n, values));
}

/* The state and all that outputs need, before they are asked for.  Before the end of initialization, which is final, loads may be
 * missing, so a start at rest that is not found is none yet: some masters read outputs before they set inputs. */
static int prepare(Kernel *k, int final) {
    int status = gather(k);
    if (status || k->block[AT_PHASE] >= KT_STEPPING || k->fresh) return status;
    start_state(k);
    if (k->values[KT_SOLVER_STATIC] != 0.0) status = kt_start_at_rest(k);
    return at_time(k, status && final ? status : k->hot->start(k));
}

static int check_references(Kernel *k, const uint32_t *references, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (references[i] >= (uint32_t)k->m->variables)
            return kt_fail(k, FAILED, "there is no variable with value reference %.10g; read the model description",
                           (double)references[i]);
    return OK;
}

kt_status kt_get(Kernel *k, const uint32_t *references, size_t n, double *values) {
    if (check_references(k, references, n)) return KT_ERROR;
    const uint32_t outputs = (uint32_t)k->m->outputs_at;
    uint32_t largest = 0;
    for (size_t i = 0; i < n; i++) largest = references[i] > largest ? references[i] : largest;
    if (largest >= outputs && (prepare(k, 0) || show(k, references, n, values))) return KT_ERROR;
    for (size_t i = 0; i < n; i++)
        if (references[i] < outputs) values[i] = k->values[references[i]];
    return KT_OK;
}

/* Whether a variable is an input of a device: these alone have bounds; coordinates have tables that say so. */
static int is_of_device(const Model *m, uint32_t reference) {
    return reference >= (uint32_t)(m->inputs_at + m->device_inputs) && reference < (uint32_t)m->outputs_at;
}

static int check_set(Kernel *k, uint32_t reference, double value) {
    static const char *const causalities[] = {"parameter", "input", "output"};
    const Variable *v = k->m->variable + reference;
    const int unit = strcmp(v->unit, "1") != 0; /* none is told of a number */
    if (!isfinite(value))
        return kt_fail(k, FAILED, "%s '%s' is set to %g; set a finite number", causalities[v->causality], v->name, value);
    if (v->causality == KT_INPUT && !is_of_device(k->m, reference)) return OK;
    if (v->causality == KT_OUTPUT) return kt_fail(k, FAILED, "'%s' is an output and cannot be set", v->name);
    if (v->fixed && k->block[AT_PHASE] >= KT_STEPPING)
        return kt_fail(k, FAILED, "parameter '%s' is fixed and cannot be set after initialization; reset the FMU first", v->name);
    if (value < v->lower || value > v->upper)
        return kt_fail(k, FAILED, "%s '%s' is set to %.9g%s%s, outside [%.9g, %.9g]; set a value inside", causalities[v->causality],
                       v->name, value, unit ? " " : "", unit ? v->unit : "", v->lower, v->upper);
    return OK;
}

kt_status kt_set(Kernel *k, const uint32_t *references, size_t n, const double *values) {
    if (check_references(k, references, n)) return KT_ERROR;
    for (size_t i = 0; i < n; i++)
        if (check_set(k, references[i], values[i])) return KT_ERROR;
    for (size_t i = 0; i < n; i++) {
        k->values[references[i]] = values[i];
        if (references[i] < (uint32_t)k->m->inputs_at) k->unchecked = 1; /* gravity may be an input */
    }
    k->ungathered = 1;
    changed(k);
    return KT_OK;
}

/* Not merely whether they were set, since a restored state does not know that. */
static void look_for_rates(Kernel *k) {
    k->has_rates = 0;
    for (int i = 0; i < k->m->inputs; i++) k->has_rates |= k->rates[i] != 0.0;
    k->ungathered = 1;
}

kt_status kt_set_input_rates(Kernel *k, const uint32_t *references, size_t n, const double *rates) {
    const Model *m = k->m;
    if (check_references(k, references, n)) return KT_ERROR;
    for (size_t i = 0; i < n; i++) {
        const Variable *v = m->variable + references[i];
        if (v->causality != KT_INPUT) return status_of(kt_fail(k, FAILED, "'%s' is no input; only inputs have derivatives", v->name));
        if (!isfinite(rates[i]))
            return status_of(kt_fail(k, FAILED, "the derivative of '%s' is set to %g; set a finite number", v->name, rates[i]));
        if (references[i] < (uint32_t)m->inputs_at && rates[i] != 0.0)
            return status_of(kt_fail(k, FAILED, "the derivative of '%s' is set to %g, but it is held over a step; leave it out",
                                     v->name, rates[i]));
    }
    for (size_t i = 0; i < n; i++)
        if (references[i] >= (uint32_t)m->inputs_at) k->rates[references[i] - (uint32_t)m->inputs_at] = rates[i];
    look_for_rates(k);
    return KT_OK;
}

/* --- life -------------------------------------------------------------------------------------------------------- */

kt_status kt_setup(Kernel *k, double start_time) {
    if (!isfinite(start_time)) return status_of(kt_fail(k, FAILED, "the start time is %g; set a finite number", start_time));
    k->block[AT_TIME] = start_time;
    return KT_OK;
}

kt_status kt_enter_initialization(Kernel *k) {
    k->block[AT_PHASE] = KT_INITIALIZING;
    return KT_OK;
}

/* Whether the state lies where the tables were not measured, in words if that is to be said. */
int kt_departure(Kernel *k, int say) {
    static const char once[] = "; this is said once, see output 'table.inRange'";
    const Model *m = k->m;
    State state = kt_state(k);
    const double *z = m->quasistatic && k->fresh ? k->z : state.z;
    for (int i = 0; i < m->designs; i++) {
        const Design *d = m->design + i;
        if (fabs(k->design[i]) <= d->range) continue;
        if (say)
            kt_fail(k, OK, "at t = %.9g s: design parameter '%s' = %.6g %s is beyond %.6g %s, up to which the tables were measured%s",
                    k->block[AT_TIME], m->variable[d->reference].name, d->told * k->design[i], d->unit, d->told * d->range, d->unit, once);
        return 1;
    }
    for (int i = 0; i < m->nf; i++) {
        const Axis *a = m->chart[state.chart].axis + i;
        if (!a->linear || a->periodic || (a->lower <= z[i] && z[i] <= a->upper)) continue;
        if (say)
            kt_fail(k, OK,
                    "at t = %.9g s: coordinate '%s' = %.6g %s is outside its table [%.6g, %.6g] %s, which is continued linearly%s",
                    k->block[AT_TIME], a->name, a->told * z[i], a->unit, a->told * a->lower, a->told * a->upper, a->unit, once);
        return 1;
    }
    for (int i = 0; i < m->ns; i++) {
        const Stiff *s = m->stiff + i;
        const double least = s->about - s->radius, most = s->about + s->radius;
        if (least <= z[m->nf + i] && z[m->nf + i] <= most) continue;
        if (m->estimates && kt_table_error(k, state.chart, z, 0) <= s->promise / s->radius) return 0; /* good nevertheless */
        if (say && s->about != 0.0)
            kt_fail(k, OK, "at t = %.9g s: deflection '%s' = %.6g %s is outside [%.6g, %.6g] %s, where the tables were measured%s",
                    k->block[AT_TIME], s->name, s->told * z[m->nf + i], s->unit, s->told * least, s->told * most, s->unit, once);
        else if (say)
            kt_fail(k, OK, "at t = %.9g s: deflection '%s' = %.6g %s is beyond %.6g %s, up to which the tables were measured%s",
                    k->block[AT_TIME], s->name, s->told * z[m->nf + i], s->unit, s->told * s->radius, s->unit, once);
        return 1;
    }
    return 0;
}

enum { OF_DEPARTURE = 1, OF_STEPS = 2, OF_CONTACT = 4 }; /* what was warned of, each once */

static const double QUARTERS = 4.0; /* of a step, at which its halves look */

/* Whether steps of the size h are too long. A measured error knows better than the rules, as long as the quarters at which
   the check looks are within a cell. */
static int hurried(const Kernel *k, const State *state, double h) {
    const double *cell = k->m->chart[state->chart].cell;
    const int measured = k->block[AT_ERROR] >= 0.0;
    int found = measured ? k->block[AT_ERROR] > 1.0 : h > k->sensible;
    for (int i = 0; i < k->m->nf; i++) found |= fabs(state->zd[i]) * h > (measured ? QUARTERS : 1.0) * cell[i];
    return found;
}

static kt_status warn(Kernel *k, const State *state, double h) {
    int of = 0;
    if (k->lost && !(k->warned & OF_CONTACT)) {
        k->fault = k->loss;
        of = OF_CONTACT;
    } else if (!(k->warned & OF_DEPARTURE) && k->m->departing && kt_departure(k, 1)) of = OF_DEPARTURE;
    else if (!(k->warned & OF_STEPS) && hurried(k, state, h)) {
        kt_too_long(k, state, h);
        of = OF_STEPS;
    }
    k->warned |= of;
    return of ? KT_WARNING : KT_OK;
}

/* The first start rate that is not zero, though the motion starts at rest: said besides what is said already. */
static int unused_rate(Kernel *k, int said) {
    const Model *m = k->m;
    for (int i = 0; i < m->starts && k->values[KT_SOLVER_STATIC] != 0.0; i++) {
        const Variable *v = m->variable + m->start[i].reference;
        const double rate = k->values[m->start[i].reference];
        const int place = m->start[i].place - (m->nf + m->ns); /* among rates */
        if (place < 0 || place >= m->nf + m->ns || v->causality != KT_PARAMETER || rate == 0.0) continue;
        if (!said) k->fault = (Fault){0};
        k->fault.unused = v;
        k->fault.unused_rate = rate;
        return 1;
    }
    return 0;
}

/* Whether a follower leaves its cam, which is kept until it is said. */
static int watch(Kernel *k, const State *end, const double *z0, const double *zd0, double time, double h) {
    if (!k->m->contacts || k->lost || k->warned & OF_CONTACT) return OK;
    const Fault before = k->fault;
    int status = kt_watch(k, end, z0, zd0, time, h, &k->lost);
    if (status) return at_time(k, status);
    if (k->lost) k->loss = k->fault;
    k->fault = before;
    return OK;
}

kt_status kt_exit_initialization(Kernel *k) {
    changed(k);
    if (prepare(k, 1)) return KT_ERROR;
    for (uint32_t i = (uint32_t)k->m->outputs_at; i < (uint32_t)k->m->variables; i++) {
        double value;
        if (show(k, &i, 1, &value)) return KT_ERROR;
    }
    if (kt_check_starts(k)) return KT_ERROR;
    int said = kt_lower_step(k);
    said |= unused_rate(k, said);
    k->block[AT_PHASE] = KT_STEPPING;
    const State state = kt_state(k);
    if (watch(k, &state, state.z, state.zd, k->block[AT_TIME], 0.0)) return KT_ERROR;
    return said ? KT_WARNING : warn(k, &state, 0.0);
}

kt_status kt_terminate(Kernel *k) {
    k->block[AT_PHASE] = KT_TERMINATED;
    return KT_OK;
}

/* So many steps of the size h; after each it is looked whether followers are still on their cams. */
static int watched_steps(Kernel *k, State *state, double time, double h, int count, int check) {
    const size_t bytes = (size_t)(k->m->nf + k->m->ns) * sizeof(double);
    double z[KT_MOST_Z], zd[KT_MOST_Z];
    int status = OK;
    for (int i = 0; i < count && !status; i++) {
        memcpy(z, state->z, bytes);
        memcpy(zd, state->zd, bytes);
        status = check ? kt_measured_step(k, state, time, i * h, h) : kt_step_over(k, state, time, i * h, h, 0);
        if (!status) status = watch(k, state, z, zd, time + i * h, h);
    }
    return status;
}

/* One communication step, in equal substeps not longer than `solver.step`; on failure the state is lost. */
static int advance(Kernel *k, State *state, double time, double step) {
    const Model *m = k->m;
    const double longest = k->values[KT_SOLVER_STEP];
    if (!(step > 0.0 && step < HUGE_VAL))
        return kt_fail(k, FAILED, "the communication step is %.9g s; it must be positive and finite", step);
    if (!(longest > 0.0 && longest < HUGE_VAL))
        return kt_fail(k, FAILED, "parameter 'solver.step' is %.9g s; it must be positive and finite", longest);
    const double ratio = step <= longest ? 1.0 : step / longest;
    if (ratio > MOST_SUBSTEPS)
        return kt_fail(k, FAILED,
                       "a communication step of %.9g s needs %.3g substeps of 'solver.step' = %.9g s, more than %d; take shorter "
                       "communication steps, or enlarge 'solver.step'",
                       step, ratio, longest, MOST_SUBSTEPS);
    const int count = ratio == 1.0 ? 1 : (int)ceil(ratio * (1.0 - 1e-9)); /* a ratio of 1 + rounding is one substep */
    const double h = step / count;
    for (int d = 0; d < m->drives; d++)
        if (m->drive[d].filter_time == 0.0) {
            state->z[m->drive[d].axis] = k->inputs[m->drive[d].first];
            state->zd[m->drive[d].axis] = k->inputs[m->drive[d].first + 1];
        }
    const int check = k->values[KT_SOLVER_CHECK] != 0.0;
    k->block[AT_ERROR] = check ? 0.0 : -1.0;
    if (!check) k->block[AT_PACE] = 0.0;
    return check || m->contacts ? watched_steps(k, state, time, h, count, check) : k->hot->run(k, state, time, 0.0, h, count);
}

kt_status kt_step(Kernel *k, double time, double size) {
    double now = k->block[AT_TIME];
    if (k->block[AT_PHASE] != KT_STEPPING)
        return status_of(kt_fail(k, FAILED, "a step was asked for before the end of initialization or after termination"));
    if (!(fabs(time - now) <= TIME_TOLERANCE * fmax(1.0, fabs(now))))
        return status_of(kt_fail(k, FAILED,
                                 "the step is to start at %.9g s, but the FMU is at %.9g s; step without gaps, or restore a "
                                 "saved state first",
                                 time, now));
    if (gather(k)) return KT_ERROR;
    State state = kt_state(k);
    memcpy(k->saved, state.age, k->state_numbers * sizeof *k->saved);
    changed(k); /* at once: a step that fails has used the memory of outputs too */
    if (advance(k, &state, now, size)) {
        memcpy(state.age, k->saved, k->state_numbers * sizeof *state.age);
        k->served_step = 0.0;
        return KT_ERROR;
    }
    k->block[AT_CHART] = state.chart;
    k->block[AT_LAP] = state.lap;
    k->block[AT_TIME] = time + size;
    if (k->has_rates) {
        memset(k->rates, 0, (size_t)k->m->inputs * sizeof *k->rates);
        k->has_rates = 0;
        k->ungathered = 1;
    }
    const double longest = k->values[KT_SOLVER_STEP];
    return warn(k, &state, size < longest ? size : longest);
}

/* --- directional derivatives ------------------------------------------------------------------------------------- */

/* Whether an input is the normal of a wheel's road. */
static int is_normal(const Model *m, uint32_t reference) {
    const int place = (int)reference - m->inputs_at - m->wheel_inputs, own = place % KT_WHEEL_INPUTS;
    return place >= 0 && own >= KT_WHEEL_NORMAL && own < KT_WHEEL_NORMAL + 3;
}

/* Outputs are polynomials of at most second degree in the inputs where the tables stay as they are, and a central
 * difference of those is exact; along normals of roads, and where deflections, or the start, follow the inputs, it is
 * good to its step. */
kt_status kt_directional(Kernel *k, const uint32_t *unknowns, size_t nu, const uint32_t *knowns, size_t nk,
                         const double *seed, double *unknown) {
    const Model *m = k->m;
    if (check_references(k, unknowns, nu) || check_references(k, knowns, nk)) return KT_ERROR;
    for (size_t i = 0; i < nk; i++)
        if (m->variable[knowns[i]].causality != KT_INPUT)
            return status_of(kt_fail(k, FAILED, "'%s' is no input; derivatives are those with respect to inputs",
                                     m->variable[knowns[i]].name));
    for (size_t i = 0; i < nu; i++)
        if (m->variable[unknowns[i]].causality != KT_OUTPUT)
            return status_of(kt_fail(k, FAILED, "'%s' is no output; derivatives are those of outputs",
                                     m->variable[unknowns[i]].name));
    double size = 1.0; /* of the step along the seed: as large as the inputs themselves */
    for (size_t i = 0; i < nk; i++)
        if (seed[i] != 0.0) size = fmax(size, fabs(k->values[knowns[i]] / seed[i]));
    int bent = m->quasistatic || (k->values[KT_SOLVER_STATIC] != 0.0 && k->block[AT_PHASE] < KT_STEPPING);
    for (size_t i = 0; i < nk; i++) bent |= is_normal(m, knowns[i]) || is_of_device(m, knowns[i]);
    if (bent) size *= 1e-4;
    double *inputs = k->values + m->first_input;
    size_t bytes = (size_t)(m->outputs_at - m->first_input) * sizeof *inputs;
    int failed = 0;
    memcpy(k->before, inputs, bytes);
    for (int side = 1; side >= -1 && !failed; side -= 2) {
        for (size_t i = 0; i < nk; i++) k->values[knowns[i]] += side * size * seed[i];
        k->unchecked = k->ungathered = 1;
        changed(k);
        failed = prepare(k, 1);
        for (size_t i = 0; i < nu && !failed; i++) {
            double value = 0.0;
            failed = show(k, unknowns + i, 1, &value);
            unknown[i] = side > 0 ? value : (unknown[i] - value) / (2.0 * size);
        }
        memcpy(inputs, k->before, bytes);
    }
    k->unchecked = k->ungathered = 1;
    changed(k);
    return status_of(failed);
}

/* --- saved states ------------------------------------------------------------------------------------------------ */

/* As the NumPy reference has them: the vectors of a state follow one another without gaps. */
size_t kt_state_size(const Kernel *k) {
    const size_t nz = (size_t)(k->m->nf + k->m->ns), gaps = AT_Z - AT_VECTORS + KT_VECTORS * ((size_t)padded((int)nz) - nz);
    return KT_TAG + (k->block_size - gaps) * sizeof(double);
}

kt_status kt_save(Kernel *k, void *block) {
    const int nz = k->m->nf + k->m->ns;
    const size_t own = (size_t)nz * sizeof(double), rest = (k->block_size - (size_t)(k->memory_of_devices - k->block)) * sizeof(double);
    char *to = block;
    kt_tag_of(k->m, block);
    memcpy(to += KT_TAG, k->block, AT_VECTORS * sizeof(double));
    to += AT_VECTORS * sizeof(double);
    for (int i = 0; i < KT_VECTORS; i++, to += own) memcpy(to, k->block + AT_Z + i * padded(nz), own);
    memcpy(to, k->memory_of_devices, rest);
    return KT_OK;
}

kt_status kt_restore(Kernel *k, const void *block, size_t size) {
    const int nz = k->m->nf + k->m->ns;
    double head[AT_VECTORS];
    unsigned char tag[KT_TAG];
    kt_tag_of(k->m, tag);
    if (size != kt_state_size(k) || memcmp(block, tag, KT_TAG) != 0)
        return status_of(kt_fail(k, FAILED,
                                 "the saved state (%d bytes) is not one of this model (%d bytes); restore only what the same FMU "
                                 "has saved",
                                 (int)size, (int)kt_state_size(k)));
    const char *from = (const char *)block + KT_TAG;
    memcpy(head, from, sizeof head);
    if (!(head[AT_PHASE] >= 0.0 && head[AT_PHASE] <= KT_TERMINATED && head[AT_CHART] >= 0.0 && head[AT_CHART] < k->m->charts &&
          fabs(head[AT_LAP]) < 1e9 && head[AT_AGE] >= 0.0 && head[AT_AGE] < 1e9 && isfinite(head[AT_ERROR]) && head[AT_PACE] >= 0.0))
        return status_of(kt_fail(k, FAILED, "the saved state is damaged; restore only what the same FMU has saved"));
    const size_t own = (size_t)nz * sizeof(double), rest = (k->block_size - (size_t)(k->memory_of_devices - k->block)) * sizeof(double);
    memcpy(k->block, head, sizeof head);
    from += sizeof head;
    for (int i = 0; i < KT_VECTORS; i++, from += own) memcpy(k->block + AT_Z + i * padded(nz), from, own);
    memcpy(k->memory_of_devices, from, rest);
    k->served_step = 0.0;
    k->unchecked = 1;
    look_for_rates(k);
    changed(k);
    return KT_OK;
}
