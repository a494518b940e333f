/* The interface of the kernel over a slave of pythonfmu, so that fmi2.c is the front of both FMUs: the same checks, the
 * same statuses, the same messages.
 *
 * pythonfmu's library lies among the resources.  What was found out about it (0.7.0), and is answered here:
 * - It reports any exception as fmi2Fatal and logs only if asked to.  The slave logs every error and warning of ours
 *   first, and from that the status is taken.
 * - Its guard of the interpreter, which has nothing to do where Python runs already, is released twice when the library
 *   is unloaded or the process ends, which spoils the heap.  It is released once for all after an instance is made. */
#define _POSIX_C_SOURCE 200809L

#include "fmi2.h"
#include "kinetab.h"
#include "location.h"
#include "python_process.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PYTHONFMU "/pythonfmu.so"
#define GUID_FILE "/guid.txt"
#define DIGITS 32
#define TAG_BYTES 16 /* of a saved state, before its phase; see variables.py */

typedef struct {
    fmi2Component (*instantiate)(fmi2String, fmi2Type, fmi2String, fmi2String, const fmi2CallbackFunctions *, fmi2Boolean,
                                 fmi2Boolean);
    void (*free_instance)(fmi2Component);
    fmi2Status (*setup)(fmi2Component, fmi2Boolean, fmi2Real, fmi2Real, fmi2Boolean, fmi2Real);
    fmi2Status (*enter)(fmi2Component);
    fmi2Status (*leave)(fmi2Component);
    fmi2Status (*terminate)(fmi2Component);
    fmi2Status (*reset)(fmi2Component);
    fmi2Status (*get)(fmi2Component, const fmi2ValueReference[], size_t, fmi2Real[]);
    fmi2Status (*set)(fmi2Component, const fmi2ValueReference[], size_t, const fmi2Real[]);
    fmi2Status (*step)(fmi2Component, fmi2Real, fmi2Real, fmi2Boolean);
    fmi2Status (*get_state)(fmi2Component, fmi2FMUstate *);
    fmi2Status (*set_state)(fmi2Component, fmi2FMUstate);
    fmi2Status (*free_state)(fmi2Component, fmi2FMUstate *);
    fmi2Status (*state_size)(fmi2Component, fmi2FMUstate, size_t *);
    fmi2Status (*to_bytes)(fmi2Component, fmi2FMUstate, fmi2Byte[], size_t);
    fmi2Status (*from_bytes)(fmi2Component, const fmi2Byte[], size_t, fmi2FMUstate *);
} Slave;

/* In the order of Slave. */
static const char *const NAMES[] = {
    "fmi2Instantiate",  "fmi2FreeInstance", "fmi2SetupExperiment",        "fmi2EnterInitializationMode",
    "fmi2ExitInitializationMode", "fmi2Terminate", "fmi2Reset",           "fmi2GetReal",
    "fmi2SetReal",      "fmi2DoStep",       "fmi2GetFMUstate",            "fmi2SetFMUstate",
    "fmi2FreeFMUstate", "fmi2SerializedFMUstateSize", "fmi2SerializeFMUstate", "fmi2DeSerializeFMUstate"};

struct kt_instance {
    void *library;
    Slave slave;
    fmi2CallbackFunctions callbacks;
    fmi2Component component;
    kt_phase phase;
    double time;
    size_t state_size;
    fmi2Status heard; /* the worst that was logged in this call */
    kt_visit visit;
    int lost;         /* pythonfmu has failed otherwise than by an error of the slave: it may not be called any more */
    char guid[DIGITS + 1];
    char message[2048];
};

/* --- what the slave says ------------------------------------------------------------------------------------------ */

/* The first of the worst: what pythonfmu adds to an error of the slave says less. */
static void hear(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status, fmi2String category,
                 fmi2String text, ...) {
    kt_instance *k = environment;
    size_t n = 0;

    (void)name;
    (void)category;
    if (k->heard >= fmi2Error || status <= k->heard) return;
    k->heard = status;
    if (status == fmi2Fatal && strchr(text, '\n')) text = strchr(text, '\n') + 1; /* after where in pythonfmu it arose */
    for (; *text && n < sizeof k->message - 1; text++) {
        k->message[n++] = *text;
        if (text[0] == '%' && text[1] == '%') text++; /* the slave doubles them for hosts that print it as a format */
    }
    k->message[n] = 0;
}

static fmi2Component begin(kt_instance *k) {
    k->heard = fmi2OK;
    k->visit = kt_enter_python();
    return k->component;
}

static kt_status over(kt_instance *k, fmi2Status status) {
    kt_leave_python(k->visit);
    if (status == fmi2OK) return k->heard == fmi2Warning ? KT_WARNING : KT_OK;
    if (k->heard == fmi2Error) return KT_ERROR;
    k->lost = 1;
    if (!k->heard) snprintf(k->message, sizeof k->message, "pythonfmu failed with status %d and said nothing", (int)status);
    return KT_FATAL;
}

/* One call of the slave. */
#define ASK(k, function, ...)                                                                                          \
    ((k)->lost ? KT_FATAL : over(k, (k)->slave.function(begin(k), __VA_ARGS__)))
#define TELL(k, function)                                                                                              \
    ((k)->lost ? KT_FATAL : over(k, (k)->slave.function(begin(k))))

const char *kt_message(const kt_instance *k) { return k->message; }

/* --- life --------------------------------------------------------------------------------------------------------- */

static int find_functions(kt_instance *k) {
    char *at = (char *)&k->slave;
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        void *found = dlsym(k->library, NAMES[i]);
        if (!found) return snprintf(k->message, sizeof k->message, "pythonfmu's library has no function %s", NAMES[i]);
        memcpy(at + i * sizeof found, &found, sizeof found);
    }
    return 0;
}

static void release_guard(void *library) {
    void *found = dlsym(library, "finalizePythonInterpreter");
    void (*release)(void);
    memcpy(&release, &found, sizeof found);
    if (found) release();
}

static int read_guid(kt_instance *k, const char *path) {
    FILE *file = fopen(path, "r");
    if (!file || !fgets(k->guid, sizeof k->guid, file))
        snprintf(k->message, sizeof k->message, "'%s' cannot be read; the FMU is not complete", path);
    if (file) fclose(file);
    return !k->guid[0];
}

static int measure_state(kt_instance *k) {
    fmi2FMUstate state = NULL;
    if (ASK(k, get_state, &state) || ASK(k, state_size, state, &k->state_size)) return 1;
    return ASK(k, free_state, &state) != KT_OK;
}

/* `path` is that of the folder of the resources, with room for the name of a file. */
static int open_slave(kt_instance *k, char *path) {
    char *end = path + strlen(path);

    if (kt_start_python(k->message, sizeof k->message)) return 1;
    strcpy(end, GUID_FILE);
    if (read_guid(k, path)) return 1;
    strcpy(end, PYTHONFMU);
    k->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!k->library) return snprintf(k->message, sizeof k->message, "pythonfmu's library cannot be loaded: %s", dlerror());
    if (find_functions(k)) return 1;
    *end = 0;
    k->callbacks = (fmi2CallbackFunctions){hear, calloc, free, NULL, k};
    begin(k);
    k->component = k->slave.instantiate("kinetab", fmi2CoSimulation, k->guid, path, &k->callbacks, fmi2False, fmi2True);
    release_guard(k->library);
    kt_leave_python(k->visit);
    return !k->component || measure_state(k);
}

kt_instance *kt_open(const char *path, char *message, size_t room) {
    kt_instance *k = calloc(1, sizeof *k);
    char *folder = malloc(strlen(path) + sizeof PYTHONFMU + sizeof GUID_FILE);
    int failed = !k || !folder;

    if (failed) {
        snprintf(message, room, "there is not enough memory for an instance");
    } else {
        strcpy(folder, path)[strlen(path) - strlen(KT_MODEL_FILE)] = 0;
        failed = open_slave(k, folder);
        if (failed) snprintf(message, room, "%s", k->message);
    }
    free(folder);
    if (!failed) return k;
    if (k) kt_free(k);
    return NULL;
}

void kt_free(kt_instance *k) {
    if (k->component && !k->lost) {
        k->slave.free_instance(begin(k));
        kt_leave_python(k->visit);
    }
    if (k->library && !k->lost) dlclose(k->library);
    free(k);
}

const char *kt_guid(const kt_instance *k) { return k->guid; }

kt_phase kt_phase_of(const kt_instance *k) { return k->phase; }

double kt_time(const kt_instance *k) { return k->time; }

kt_status kt_reset(kt_instance *k) {
    kt_status status = TELL(k, reset);
    if (status > KT_WARNING) return status;
    k->phase = KT_INSTANTIATED;
    k->time = 0.0;
    return status;
}

kt_status kt_setup(kt_instance *k, double start) {
    kt_status status = ASK(k, setup, fmi2False, 0.0, start, fmi2False, 0.0);
    if (status <= KT_WARNING) k->time = start;
    return status;
}

kt_status kt_enter_initialization(kt_instance *k) {
    kt_status status = TELL(k, enter);
    if (status <= KT_WARNING) k->phase = KT_INITIALIZING;
    return status;
}

kt_status kt_exit_initialization(kt_instance *k) {
    kt_status status = TELL(k, leave);
    if (status <= KT_WARNING) k->phase = KT_STEPPING;
    return status;
}

kt_status kt_terminate(kt_instance *k) {
    kt_status status = TELL(k, terminate);
    if (status <= KT_WARNING) k->phase = KT_TERMINATED;
    return status;
}

/* --- variables and steps ------------------------------------------------------------------------------------------ */

kt_status kt_get(kt_instance *k, const uint32_t *references, size_t n, double *values) {
    return ASK(k, get, references, n, values);
}

kt_status kt_set(kt_instance *k, const uint32_t *references, size_t n, const double *values) {
    return ASK(k, set, references, n, values);
}

kt_status kt_step(kt_instance *k, double time, double size) {
    kt_status status = ASK(k, step, time, size, fmi2False);
    if (status <= KT_WARNING) k->time = time + size;
    return status;
}

static kt_status native_only(kt_instance *k, const char *what) {
    snprintf(k->message, sizeof k->message, "%s are not available in this FMU, as its model description says; the native FMU has them", what);
    return KT_ERROR;
}

kt_status kt_set_input_rates(kt_instance *k, const uint32_t *references, size_t n, const double *rates) {
    (void)references;
    (void)rates;
    return n ? native_only(k, "derivatives of inputs") : KT_OK;
}

kt_status kt_directional(kt_instance *k, const uint32_t *unknowns, size_t nu, const uint32_t *knowns, size_t nk,
                         const double *seed, double *unknown) {
    (void)unknowns;
    (void)nu;
    (void)knowns;
    (void)nk;
    (void)seed;
    (void)unknown;
    return native_only(k, "directional derivatives");
}

/* --- saved states ------------------------------------------------------------------------------------------------- */

size_t kt_state_size(const kt_instance *k) { return k->state_size; }

static void forget(kt_instance *k, fmi2FMUstate state) {
    if (state) (void)ASK(k, free_state, &state);
}

kt_status kt_save(kt_instance *k, void *block) {
    fmi2FMUstate state = NULL;
    kt_status status = ASK(k, get_state, &state);
    if (status == KT_OK) status = ASK(k, to_bytes, state, block, k->state_size);
    forget(k, state);
    return status;
}

kt_status kt_restore(kt_instance *k, const void *block, size_t size) {
    fmi2FMUstate state = NULL;
    kt_status status = ASK(k, from_bytes, block, size, &state);
    if (status == KT_OK) status = ASK(k, set_state, state);
    forget(k, state);
    if (status != KT_OK) return status;
    double head[2]; /* phase and time */
    memcpy(head, (const char *)block + TAG_BYTES, sizeof head);
    k->phase = (kt_phase)head[0];
    k->time = head[1];
    return KT_OK;
}
