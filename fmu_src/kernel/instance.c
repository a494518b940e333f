/* An instance as FMI sees it: variables, phases, steps, saved states; see instance.py. */
#include "internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define TIME_TOLERANCE 1e-9 /* of max(1 s, time): how far the master's clock may be from ours */

int kt_version(void) { return KT_VERSION; }
const char *kt_message(const kt_instance *instance) { return instance->message; }
int kt_out_of_table(const kt_instance *instance) { return instance->kind == OUT_OF_TABLE; }
size_t kt_count(const kt_instance *instance) { return (size_t)instance->model.variables; }
const char *kt_guid(const kt_instance *instance) { return instance->model.guid; }
double kt_time(const kt_instance *instance) { return instance->block[AT_TIME]; }
kt_phase kt_phase_of(const kt_instance *instance) { return (kt_phase)(int)instance->block[AT_PHASE]; }

int kt_fail(kt_instance *instance, int kind, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(instance->message, sizeof instance->message, format, arguments);
    va_end(arguments);
    instance->kind = kind;
    return kind;
}

static kt_status status_of(int result) { return result ? KT_ERROR : KT_OK; }

/* Outputs no longer fit. */
static void changed(kt_instance *instance) {
    if (!instance->fresh) return;
    instance->fresh = 0;
    memset(instance->fresh_marker, 0, (size_t)instance->model.markers);
}

/* --- starting ---------------------------------------------------------------------------------------------------- */

static void start_state(kt_instance *k) {
    const Model *m = &k->model;
    k->block[AT_CHART] = k->block[AT_LAP] = k->served_step = 0.0;
    State state = kt_state(k);
    *state.age = 0.0;
    memset(state.z, 0, KT_VECTORS * (size_t)k->wide * sizeof *state.z);
    memcpy(state.z, m->start_numbers, (size_t)m->nz * sizeof *state.z);
    memcpy(state.zd, m->start_numbers + m->nz, (size_t)m->nz * sizeof *state.zd);
    for (int i = 0; i < m->starts; i++) {
        int place = m->start[i].place;
        *(place < m->nz ? state.z + place : state.zd + place - m->nz) = k->values[m->start[i].reference];
    }
}

kt_status kt_reset(kt_instance *k) {
    const Model *m = &k->model;
    k->block[AT_PHASE] = KT_INSTANTIATED;
    k->block[AT_TIME] = 0.0;
    for (int i = 0; i < m->variables; i++) k->values[i] = m->variable[i].start;
    k->read_chart = -1;
    k->unchecked = k->ungathered = 1;
    k->warned = k->has_rates = 0;
    memset(k->rates, 0, (size_t)m->inputs * sizeof *k->rates);
    k->message[0] = 0;
    start_state(k);
    changed(k);
    return KT_OK;
}

/* --- variables --------------------------------------------------------------------------------------------------- */

/* Parameters and inputs as the equations want them; refuses parameters that no law can use. */
static int gather(kt_instance *k) {
    const Model *m = &k->model;
    if (!k->ungathered) return OK;
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
        k->steady_known = 0;
        kt_add_linear(k);
    }
    k->unchecked = 0;
    memcpy(k->inputs, k->values + m->inputs_at, (size_t)m->inputs * sizeof *k->inputs);
    k->moments = 0;
    for (int p = 0; p < m->ports; p++)
        for (int i = 3; i < 6; i++)
            k->moments |= k->inputs[m->loads + 6 * p + i] != 0.0 || k->rates[m->loads + 6 * p + i] != 0.0;
    k->across = 0;
    for (int i = 0; i < 3; i++)
        k->across |= m->chart->S[i] >= m->chart->end[STEADY] && k->parameters[m->gravity[i]] != 0.0;
    k->ungathered = 0;
    k->needs = 1 << INERTIA | 1 << MOTION | (k->across ? 1 << ACROSS : 0) | (k->moments ? 1 << MOMENTS : 0);
    return OK;
}

/* The state and all that outputs need, before they are asked for. */
static int prepare(kt_instance *k) {
    int status = gather(k);
    if (status || k->block[AT_PHASE] >= KT_STEPPING || k->fresh) return status;
    start_state(k);
    if (!k->model.quasistatic) return OK;
    State state = kt_state(k);
    return kt_relax(k, state.chart, state.z, state.zd, k->instant.u, k->inputs);
}

static int check_references(kt_instance *k, const uint32_t *references, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (references[i] >= (uint32_t)k->model.variables)
            return kt_fail(k, FAILED, "there is no variable with value reference %lu; read the model description",
                           (unsigned long)references[i]);
    return OK;
}

kt_status kt_get(kt_instance *k, const uint32_t *references, size_t n, double *values) {
    if (check_references(k, references, n)) return KT_ERROR;
    uint32_t largest = 0;
    for (size_t i = 0; i < n; i++) largest = references[i] > largest ? references[i] : largest;
    if (n && largest >= (uint32_t)k->model.outputs_at && (prepare(k) || kt_refresh(k, references, n))) return KT_ERROR;
    for (size_t i = 0; i < n; i++) values[i] = k->values[references[i]];
    return KT_OK;
}

static int check_set(kt_instance *k, const Variable *v, double value) {
    if (!isfinite(value))
        return kt_fail(k, FAILED, "%s '%s' is set to %g; set a finite number",
                       v->causality == INPUT ? "input" : v->causality == OUTPUT ? "output" : "parameter", v->name, value);
    if (v->causality == INPUT) return OK;
    if (v->causality == OUTPUT) return kt_fail(k, FAILED, "'%s' is an output and cannot be set", v->name);
    if (v->fixed && k->block[AT_PHASE] >= KT_STEPPING)
        return kt_fail(k, FAILED, "parameter '%s' is fixed and cannot be set after initialization; reset the FMU first", v->name);
    if (value < v->lower || value > v->upper)
        return kt_fail(k, FAILED, "parameter '%s' is set to %.9g %s, outside [%.9g, %.9g]; set a value inside", v->name, value,
                       v->unit, v->lower, v->upper);
    return OK;
}

kt_status kt_set(kt_instance *k, const uint32_t *references, size_t n, const double *values) {
    if (check_references(k, references, n)) return KT_ERROR;
    for (size_t i = 0; i < n; i++)
        if (check_set(k, k->model.variable + references[i], values[i])) return KT_ERROR;
    for (size_t i = 0; i < n; i++) {
        k->values[references[i]] = values[i];
        if (references[i] < (uint32_t)k->model.inputs_at) k->unchecked = 1; /* gravity may be an input */
    }
    k->ungathered = 1;
    changed(k);
    return KT_OK;
}

/* Not merely whether they were set, since a restored state does not know that. */
static void look_for_rates(kt_instance *k) {
    k->has_rates = 0;
    for (int i = 0; i < k->model.inputs; i++) k->has_rates |= k->rates[i] != 0.0;
    k->ungathered = 1;
}

kt_status kt_set_input_rates(kt_instance *k, const uint32_t *references, size_t n, const double *rates) {
    const Model *m = &k->model;
    if (check_references(k, references, n)) return KT_ERROR;
    for (size_t i = 0; i < n; i++) {
        const Variable *v = m->variable + references[i];
        if (v->causality != INPUT) return status_of(kt_fail(k, FAILED, "'%s' is no input; only inputs have derivatives", v->name));
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

kt_status kt_setup(kt_instance *k, double start_time) {
    if (!isfinite(start_time)) return status_of(kt_fail(k, FAILED, "the start time is %g; set a finite number", start_time));
    k->block[AT_TIME] = start_time;
    return KT_OK;
}

kt_status kt_enter_initialization(kt_instance *k) {
    k->block[AT_PHASE] = KT_INITIALIZING;
    return KT_OK;
}

/* The one warning of an instance. */
static kt_status warn(kt_instance *k) {
    char text[KT_MESSAGE / 2];
    if (k->warned || !k->model.can_depart || !kt_departure(k, text, sizeof text)) return KT_OK;
    k->warned = 1;
    kt_fail(k, OK, "at t = %.9g s: %s; this is said once, see output 'table.inRange'", k->block[AT_TIME], text);
    return KT_WARNING;
}

kt_status kt_exit_initialization(kt_instance *k) {
    changed(k);
    if (prepare(k) || kt_refresh_all(k)) return KT_ERROR;
    k->block[AT_PHASE] = KT_STEPPING;
    return warn(k);
}

kt_status kt_terminate(kt_instance *k) {
    k->block[AT_PHASE] = KT_TERMINATED;
    return KT_OK;
}

kt_status kt_step(kt_instance *k, double time, double size) {
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
    int numbers = AT_Z - AT_AGE + KT_VECTORS * k->wide;
    memcpy(k->saved, state.age, (size_t)numbers * sizeof *k->saved);
    changed(k); /* at once: a step that fails has used the memory of outputs too */
    if (kt_advance(k, &state, now, size)) {
        memcpy(state.age, k->saved, (size_t)numbers * sizeof *state.age);
        k->served_step = 0.0;
        return KT_ERROR;
    }
    k->block[AT_CHART] = state.chart;
    k->block[AT_LAP] = state.lap;
    k->block[AT_TIME] = time + size;
    if (k->has_rates) {
        memset(k->rates, 0, (size_t)k->model.inputs * sizeof *k->rates);
        k->has_rates = 0;
        k->ungathered = 1;
    }
    return warn(k);
}

/* --- directional derivatives ------------------------------------------------------------------------------------- */

/* Outputs are polynomials of at most second degree in the inputs where the tables stay as they are, and a central
 * difference of those is exact; where deflections follow the inputs it is good to its step. */
kt_status kt_directional(kt_instance *k, const uint32_t *unknowns, size_t nu, const uint32_t *knowns, size_t nk,
                         const double *seed, double *unknown) {
    const Model *m = &k->model;
    if (check_references(k, unknowns, nu) || check_references(k, knowns, nk)) return KT_ERROR;
    for (size_t i = 0; i < nk; i++)
        if (m->variable[knowns[i]].causality != INPUT)
            return status_of(kt_fail(k, FAILED, "'%s' is no input; derivatives are those with respect to inputs",
                                     m->variable[knowns[i]].name));
    for (size_t i = 0; i < nu; i++)
        if (m->variable[unknowns[i]].causality != OUTPUT)
            return status_of(kt_fail(k, FAILED, "'%s' is no output; derivatives are those of outputs",
                                     m->variable[unknowns[i]].name));
    double size = 1.0; /* of the step along the seed: as large as the inputs themselves */
    for (size_t i = 0; i < nk; i++)
        if (seed[i] != 0.0) size = fmax(size, fabs(k->values[knowns[i]] / seed[i]));
    if (m->quasistatic) size *= 1e-4;
    double *inputs = k->values + m->first_input;
    size_t bytes = (size_t)(m->outputs_at - m->first_input) * sizeof *inputs;
    int failed = 0;
    memcpy(k->before, inputs, bytes);
    for (int side = 1; side >= -1 && !failed; side -= 2) {
        for (size_t i = 0; i < nk; i++) k->values[knowns[i]] += side * size * seed[i];
        k->unchecked = k->ungathered = 1;
        changed(k);
        failed = prepare(k) || kt_refresh(k, unknowns, nu);
        for (size_t i = 0; i < nu && !failed; i++) {
            double value = k->values[unknowns[i]];
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
size_t kt_state_size(const kt_instance *k) {
    size_t gaps = AT_Z - AT_VECTORS + KT_VECTORS * (size_t)(k->wide - k->model.nz);
    return KT_TAG + (k->block_size - gaps) * sizeof(double);
}

kt_status kt_save(kt_instance *k, void *block) {
    size_t own = (size_t)k->model.nz * sizeof(double), rest = (k->block_size - (size_t)(k->rates - k->block)) * sizeof(double);
    char *to = block;
    memcpy(to, k->model.tag, KT_TAG);
    memcpy(to += KT_TAG, k->block, AT_VECTORS * sizeof(double));
    to += AT_VECTORS * sizeof(double);
    for (int i = 0; i < KT_VECTORS; i++, to += own) memcpy(to, k->block + AT_Z + i * k->wide, own);
    memcpy(to, k->rates, rest);
    return KT_OK;
}

kt_status kt_restore(kt_instance *k, const void *block, size_t size) {
    double head[AT_VECTORS];
    if (size != kt_state_size(k) || memcmp(block, k->model.tag, KT_TAG) != 0)
        return status_of(kt_fail(k, FAILED,
                                 "the saved state (%lu bytes) is not one of this model (%lu bytes); restore only what the "
                                 "same FMU has saved",
                                 (unsigned long)size, (unsigned long)kt_state_size(k)));
    const char *from = (const char *)block + KT_TAG;
    memcpy(head, from, sizeof head);
    if (!(head[AT_PHASE] >= 0.0 && head[AT_PHASE] <= KT_TERMINATED && head[AT_CHART] >= 0.0 &&
          head[AT_CHART] < k->model.charts && fabs(head[AT_LAP]) < 1e9 && head[AT_AGE] >= 0.0 && head[AT_AGE] < 1e9))
        return status_of(kt_fail(k, FAILED, "the saved state is damaged; restore only what the same FMU has saved"));
    size_t own = (size_t)k->model.nz * sizeof(double), rest = (k->block_size - (size_t)(k->rates - k->block)) * sizeof(double);
    memcpy(k->block, head, sizeof head);
    from += sizeof head;
    for (int i = 0; i < KT_VECTORS; i++, from += own) memcpy(k->block + AT_Z + i * k->wide, from, own);
    memcpy(k->rates, from, rest);
    k->served_step = 0.0;
    k->unchecked = 1;
    look_for_rates(k);
    changed(k);
    return KT_OK;
}
