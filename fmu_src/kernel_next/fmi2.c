/* The FMI 2.0 co-simulation front of both FMUs, with the kernel behind it or a slave in Python: who may call what and
 * when, messages to the host, saved states.
 *
 * A call that fails changes nothing, so a host may go on after fmi2Error: with a shorter step, other inputs, a restored
 * state or a reset.  Errors and warnings are always logged; there is no debug logging to be switched on.
 */
#include "fmi2.h"

#include "kinetab.h"
#include "location.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LATE 1e-8 /* [s], relative to max(1 s, stop time): how far the last step may end after the stop time */

typedef struct {
    kt_instance *model;
    fmi2CallbackFunctions host; /* a copy: not every host keeps its own */
    double stop;                /* [s] no step may go beyond */
    char name[];
} Component;

typedef struct {
    size_t size;
    double block[]; /* double, so that it is aligned */
} Saved;

enum {
    BEFORE = 1u << KT_INSTANTIATED,
    INITIALIZING = 1u << KT_INITIALIZING,
    STEPPING = 1u << KT_STEPPING,
    AFTER = 1u << KT_TERMINATED,
    ALWAYS = BEFORE | INITIALIZING | STEPPING | AFTER
};

/* --- messages ----------------------------------------------------------------------------------------------------- */

static fmi2Status tell(const Component *c, fmi2Status status, const char *text) {
    static const char *const categories[] = {"logAll", "logStatusWarning", "logStatusDiscard", "logStatusError",
                                              "logStatusFatal"};

    /* The host takes it for a printf format, or forgets to: either way the text must come out whole. */
    if (c->host.logger)
        c->host.logger(c->host.componentEnvironment, c->name, status, categories[status],
                       strchr(text, '%') ? "%s" : text, text);
    return status;
}

static fmi2Status fail(const Component *c, const char *format, ...) {
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return tell(c, fmi2Error, text);
}

static fmi2Status done(const Component *c, kt_status status) {
    return status == KT_OK ? fmi2OK : tell(c, (fmi2Status)status, kt_message(c->model));
}

/* The component, if this function may be called in its phase. */
static Component *allowed(fmi2Component component, unsigned phases, const char *function) {
    static const char *const names[] = {"before initialization", "during initialization", "between steps",
                                        "after termination"};
    Component *c = component;

    if (!c)
        return NULL;
    kt_phase phase = kt_phase_of(c->model);
    if (phases & (1u << phase))
        return c;
    fail(c, "%s must not be called %s", function, names[phase]);
    return NULL;
}

#define ENTER(phases)                                                                                                  \
    Component *c = allowed(component, phases, __func__);                                                               \
    if (!c)                                                                                                            \
    return fmi2Error

#define NEED(condition)                                                                                                \
    if (!(condition))                                                                                                  \
    return fail(c, "%s is called with a null pointer", __func__)

/* --- life --------------------------------------------------------------------------------------------------------- */

const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }

const char *fmi2GetVersion(void) { return fmi2Version; }

fmi2Status fmi2SetDebugLogging(fmi2Component component, fmi2Boolean on, size_t n, const fmi2String categories[]) {
    static const char *const known[] = {"logStatusWarning", "logStatusDiscard", "logStatusError", "logStatusFatal", "logAll"};
    const size_t count = sizeof known / sizeof *known;

    ENTER(ALWAYS);
    NEED(!n || categories);
    (void)on;
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        NEED(categories[i]);
        while (k < count && strcmp(categories[i], known[k]))
            k++;
        if (k == count)
            return fail(c, "there is no log category '%s'; see the model description", categories[i]);
    }
    return fmi2OK;
}

static kt_instance *open_model(const Component *c, const char *guid, const char *resources) {
    char message[1024] = "";
    char *path = c->host.allocateMemory(strlen(resources) + sizeof KT_MODEL_FILE, 1);

    if (!path) {
        fail(c, "there is no memory for a path of %u bytes", (unsigned)strlen(resources));
        return NULL;
    }
    kt_model_path(resources, path);
    kt_instance *model = kt_open(path, message, sizeof message);
    c->host.freeMemory(path);
    if (!model) {
        tell(c, fmi2Error, message);
    } else if (!kt_same_guid(guid, kt_guid(model))) {
        fail(c, "the guid '%.60s' is not that of the model, %s; the FMU is mixed from two",
             guid, kt_guid(model));
        kt_free(model);
        model = NULL;
    }
    return model;
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean loggingOn) {
    fmi2CallbackFunctions host;

    (void)visible;
    (void)loggingOn;
    if (!functions)
        return NULL;
    host = *functions;
    if (!host.allocateMemory || !host.freeMemory) {
        host.allocateMemory = calloc;
        host.freeMemory = free;
    }
    size_t length = name ? strlen(name) : 0;
    Component *c = host.allocateMemory(1, sizeof(Component) + length + 1);
    if (!c)
        return NULL;
    c->host = host;
    c->stop = INFINITY;
    memcpy(c->name, length ? name : "", length + 1);
    if (!length)
        fail(c, "the instance has no name");
    else if (type != fmi2CoSimulation)
        fail(c, "this is an FMU for co-simulation only");
    else if (!guid || !resources)
        fail(c, "the %s of the FMU is not given", guid ? "resource location" : "guid");
    else
        c->model = open_model(c, guid, resources);
    if (c->model)
        return c;
    host.freeMemory(c);
    return NULL;
}

void fmi2FreeInstance(fmi2Component component) {
    Component *c = component;

    if (!c)
        return;
    fmi2CallbackFreeMemory release = c->host.freeMemory;
    kt_free(c->model);
    release(c);
}

fmi2Status fmi2SetupExperiment(fmi2Component component, fmi2Boolean toleranceDefined, fmi2Real tolerance,
                               fmi2Real startTime, fmi2Boolean stopTimeDefined, fmi2Real stopTime) {
    ENTER(BEFORE);
    (void)toleranceDefined; /* the error of the tables is fixed when they are made, that of a step by solver.step */
    (void)tolerance;
    if (stopTimeDefined && !(stopTime >= startTime))
        return fail(c, "the stop time is %.9g s, the start time %.9g s; stop after the start", stopTime, startTime);
    fmi2Status status = done(c, kt_setup(c->model, startTime));
    if (status <= fmi2Warning)
        c->stop = stopTimeDefined ? stopTime : INFINITY;
    return status;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component component) {
    ENTER(BEFORE);
    return done(c, kt_enter_initialization(c->model));
}

fmi2Status fmi2ExitInitializationMode(fmi2Component component) {
    ENTER(INITIALIZING);
    return done(c, kt_exit_initialization(c->model));
}

fmi2Status fmi2Terminate(fmi2Component component) {
    ENTER(STEPPING);
    return done(c, kt_terminate(c->model));
}

fmi2Status fmi2Reset(fmi2Component component) {
    ENTER(ALWAYS);
    fmi2Status status = done(c, kt_reset(c->model));
    if (status <= fmi2Warning)
        c->stop = INFINITY;
    return status;
}

/* --- variables ---------------------------------------------------------------------------------------------------- */

/* Also before initialization, where the standard has no use for it: it does no harm, and hosts do it. */
fmi2Status fmi2GetReal(fmi2Component component, const fmi2ValueReference vr[], size_t n, fmi2Real value[]) {
    ENTER(ALWAYS);
    NEED(!n || (vr && value));
    return done(c, kt_get(c->model, vr, n, value));
}

fmi2Status fmi2SetReal(fmi2Component component, const fmi2ValueReference vr[], size_t n, const fmi2Real value[]) {
    ENTER(BEFORE | INITIALIZING | STEPPING);
    NEED(!n || (vr && value));
    return done(c, kt_set(c->model, vr, n, value));
}

#define NO_SUCH_TYPE(name, type, phases)                                                                               \
    fmi2Status name(fmi2Component component, const fmi2ValueReference vr[], size_t n, type value[]) {                  \
        ENTER(phases);                                                                                                 \
        (void)value;                                                                                                   \
        NEED(!n || vr);                                                                                                \
        return n ? fail(c, "%s is called for variable %u, but all variables are Real", __func__, vr[0]) : fmi2OK;      \
    }

NO_SUCH_TYPE(fmi2GetInteger, fmi2Integer, ALWAYS)
NO_SUCH_TYPE(fmi2GetBoolean, fmi2Boolean, ALWAYS)
NO_SUCH_TYPE(fmi2GetString, fmi2String, ALWAYS)
NO_SUCH_TYPE(fmi2SetInteger, const fmi2Integer, BEFORE | INITIALIZING | STEPPING)
NO_SUCH_TYPE(fmi2SetBoolean, const fmi2Boolean, BEFORE | INITIALIZING | STEPPING)
NO_SUCH_TYPE(fmi2SetString, const fmi2String, BEFORE | INITIALIZING | STEPPING)

/* --- saved states ------------------------------------------------------------------------------------------------- */

/* Room for a state in *state, which may hold one that is to be used again. */
static Saved *room(const Component *c, fmi2FMUstate *state, size_t size) {
    Saved *saved = *state;

    if (saved && saved->size != size) {
        fail(c, "the state to be overwritten has %u bytes, not %u; it belongs to another model", (unsigned)saved->size,
             (unsigned)size);
        return NULL;
    }
    if (!saved)
        saved = c->host.allocateMemory(1, sizeof(Saved) + size);
    if (!saved) {
        fail(c, "there is no memory for a state of %u bytes", (unsigned)size);
        return NULL;
    }
    saved->size = size;
    return *state = saved;
}

fmi2Status fmi2GetFMUstate(fmi2Component component, fmi2FMUstate *state) {
    ENTER(ALWAYS);
    NEED(state);
    Saved *saved = room(c, state, kt_state_size(c->model));
    if (!saved)
        return fmi2Error;
    return done(c, kt_save(c->model, saved->block));
}

fmi2Status fmi2SetFMUstate(fmi2Component component, fmi2FMUstate state) {
    ENTER(ALWAYS);
    NEED(state);
    return done(c, kt_restore(c->model, ((Saved *)state)->block, ((Saved *)state)->size));
}

fmi2Status fmi2FreeFMUstate(fmi2Component component, fmi2FMUstate *state) {
    ENTER(ALWAYS);
    if (state && *state) {
        c->host.freeMemory(*state);
        *state = NULL;
    }
    return fmi2OK;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component component, fmi2FMUstate state, size_t *size) {
    ENTER(ALWAYS);
    NEED(state && size);
    *size = ((Saved *)state)->size;
    return fmi2OK;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component component, fmi2FMUstate state, fmi2Byte bytes[], size_t size) {
    ENTER(ALWAYS);
    NEED(state && bytes);
    Saved *saved = state;
    if (size < saved->size)
        return fail(c, "%u bytes are too few for a state of %u bytes", (unsigned)size, (unsigned)saved->size);
    memcpy(bytes, saved->block, saved->size);
    return fmi2OK;
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component component, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state) {
    ENTER(ALWAYS);
    NEED(bytes && state);
    if (size != kt_state_size(c->model))
        return fail(c, "the saved state has %u bytes, one of this model %u; restore only what the same FMU has saved",
                    (unsigned)size, (unsigned)kt_state_size(c->model));
    Saved *saved = room(c, state, size);
    if (!saved)
        return fmi2Error;
    memcpy(saved->block, bytes, size);
    return fmi2OK;
}

/* --- derivatives -------------------------------------------------------------------------------------------------- */

fmi2Status fmi2GetDirectionalDerivative(fmi2Component component, const fmi2ValueReference unknown[], size_t nUnknown,
                                        const fmi2ValueReference known[], size_t nKnown, const fmi2Real dKnown[],
                                        fmi2Real dUnknown[]) {
    ENTER(INITIALIZING | STEPPING | AFTER);
    NEED((!nUnknown || (unknown && dUnknown)) && (!nKnown || (known && dKnown)));
    return done(c, kt_directional(c->model, unknown, nUnknown, known, nKnown, dKnown, dUnknown));
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component component, const fmi2ValueReference vr[], size_t n,
                                       const fmi2Integer order[], const fmi2Real value[]) {
    ENTER(BEFORE | INITIALIZING | STEPPING);
    NEED(!n || (vr && order && value));
    for (size_t i = 0; i < n; i++)
        if (order[i] != 1)
            return fail(c, "derivative %d of input %u is given; only the first is used", order[i], vr[i]);
    return done(c, kt_set_input_rates(c->model, vr, n, value));
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component component, const fmi2ValueReference vr[], size_t n,
                                        const fmi2Integer order[], fmi2Real value[]) {
    ENTER(STEPPING | AFTER);
    (void)vr;
    (void)order;
    (void)value;
    return n ? fail(c, "derivatives of outputs are not available (maxOutputDerivativeOrder is 0)") : fmi2OK;
}

/* --- steps -------------------------------------------------------------------------------------------------------- */

fmi2Status fmi2DoStep(fmi2Component component, fmi2Real time, fmi2Real size, fmi2Boolean noSetFMUStatePrior) {
    ENTER(STEPPING);
    (void)noSetFMUStatePrior;
    if (time + size > c->stop + LATE * fmax(1.0, fabs(c->stop)))
        return fail(c, "a step from %.9g s to %.9g s goes beyond the stop time of %.9g s that was set up", time,
                    time + size, c->stop);
    return done(c, kt_step(c->model, time, size));
}

fmi2Status fmi2CancelStep(fmi2Component component) {
    ENTER(ALWAYS);
    return fail(c, "there is no step to be cancelled: fmi2DoStep returns when it is done");
}

/* What is only known of a step that is pending, which none ever is. */
#define NO_SUCH_STATUS(name, type)                                                                                     \
    fmi2Status name(fmi2Component component, const fmi2StatusKind kind, type *value) {                                 \
        ENTER(STEPPING | AFTER);                                                                                       \
        NEED(value);                                                                                                   \
        (void)kind;                                                                                                    \
        return fmi2Discard;                                                                                            \
    }

NO_SUCH_STATUS(fmi2GetStatus, fmi2Status)
NO_SUCH_STATUS(fmi2GetIntegerStatus, fmi2Integer)
NO_SUCH_STATUS(fmi2GetStringStatus, fmi2String)

fmi2Status fmi2GetRealStatus(fmi2Component component, const fmi2StatusKind kind, fmi2Real *value) {
    ENTER(STEPPING | AFTER);
    NEED(value);
    if (kind != fmi2LastSuccessfulTime)
        return fmi2Discard;
    *value = kt_time(c->model);
    return fmi2OK;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component component, const fmi2StatusKind kind, fmi2Boolean *value) {
    ENTER(STEPPING | AFTER);
    NEED(value);
    if (kind != fmi2Terminated)
        return fmi2Discard;
    *value = fmi2False; /* it never ends a simulation by itself */
    return fmi2OK;
}
