/* Loading an FMI 2.0 co-simulation FMU; for programs of one file. */
#ifndef HOST_FMU_H
#define HOST_FMU_H

#include "fmi2.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <windows.h>
static void *load(const char *path) {
    static wchar_t wide[32768];
    return MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, 32768) ? (void *)LoadLibraryW(wide) : NULL;
}
#define find(library, name) ((void *)GetProcAddress((HMODULE)(library), name))
#define unload(library) FreeLibrary((HMODULE)(library))
#else
#include <dlfcn.h>
#define load(path) dlopen(path, RTLD_NOW | RTLD_LOCAL)
#define find(library, name) dlsym(library, name)
#define unload(library) dlclose(library)
#endif

#define MOST 1024

static void log_message(fmi2ComponentEnvironment environment, fmi2String instance, fmi2Status status,
                        fmi2String category, fmi2String message, ...) {
    va_list arguments;
    (void)environment;
    fprintf(stderr, "%s %d %s: ", instance, (int)status, category);
    va_start(arguments, message);
    vfprintf(stderr, message, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

/* "9=1.5,10=2" or "16,17" */
static inline size_t parse(char *text, fmi2ValueReference *references, double *values) {
    size_t n = 0;
    for (char *word = strtok(text, ","); word && n < MOST; word = strtok(NULL, ","), n++) {
        char *rest;
        references[n] = (fmi2ValueReference)strtoul(word, &rest, 10);
        values[n] = *rest == '=' ? strtod(rest + 1, NULL) : 0.0;
    }
    return n;
}

static inline void check(fmi2Status status, const char *what) {
    if (status <= fmi2Warning)
        return;
    fprintf(stderr, "%s: status %d\n", what, (int)status);
    exit(1);
}

typedef fmi2Component (*Instantiate)(fmi2String, fmi2Type, fmi2String, fmi2String, const fmi2CallbackFunctions *,
                                     fmi2Boolean, fmi2Boolean);
typedef fmi2Status (*Setup)(fmi2Component, fmi2Boolean, fmi2Real, fmi2Real, fmi2Boolean, fmi2Real);
typedef fmi2Status (*Call)(fmi2Component);
typedef fmi2Status (*Get)(fmi2Component, const fmi2ValueReference[], size_t, fmi2Real[]);
typedef fmi2Status (*Set)(fmi2Component, const fmi2ValueReference[], size_t, const fmi2Real[]);
typedef fmi2Status (*Step)(fmi2Component, fmi2Real, fmi2Real, fmi2Boolean);
typedef void (*Release)(fmi2Component);
typedef fmi2Status (*State)(fmi2Component, fmi2FMUstate *);
typedef fmi2Status (*SetState)(fmi2Component, fmi2FMUstate);
typedef fmi2Status (*StateSize)(fmi2Component, fmi2FMUstate, size_t *);
typedef fmi2Status (*Pack)(fmi2Component, fmi2FMUstate, fmi2Byte[], size_t);
typedef fmi2Status (*Unpack)(fmi2Component, const fmi2Byte[], size_t, fmi2FMUstate *);

typedef struct {
    void *library;
    Instantiate instantiate;
    Setup setup;
    Call enter, leave, terminate;
    Get get;
    Set set;
    Step step;
    State save, drop;
    SetState restore;
    StateSize state_size;
    Pack pack;
    Unpack unpack;
    Release release;
} Fmu;

/* A function of the library; the union because ISO C has no cast from an object to a function pointer. */
#define FUNCTION(type, variable, name)                                                                                 \
    {                                                                                                                  \
        union {                                                                                                        \
            void *object;                                                                                              \
            type function;                                                                                             \
        } u;                                                                                                           \
        u.object = find(f->library, name);                                                                             \
        if (!u.object) {                                                                                               \
            fprintf(stderr, "no function %s\n", name);                                                                 \
            exit(1);                                                                                                   \
        }                                                                                                              \
        f->variable = u.function;                                                                                      \
    }

static void open_fmu(Fmu *f, const char *path) {
    f->library = load(path);
    if (!f->library) {
        fprintf(stderr, "cannot load %s\n", path);
        exit(1);
    }
    FUNCTION(Instantiate, instantiate, "fmi2Instantiate")
    FUNCTION(Setup, setup, "fmi2SetupExperiment")
    FUNCTION(Call, enter, "fmi2EnterInitializationMode")
    FUNCTION(Call, leave, "fmi2ExitInitializationMode")
    FUNCTION(Call, terminate, "fmi2Terminate")
    FUNCTION(Get, get, "fmi2GetReal")
    FUNCTION(Set, set, "fmi2SetReal")
    FUNCTION(Step, step, "fmi2DoStep")
    FUNCTION(State, save, "fmi2GetFMUstate")
    FUNCTION(State, drop, "fmi2FreeFMUstate")
    FUNCTION(SetState, restore, "fmi2SetFMUstate")
    FUNCTION(StateSize, state_size, "fmi2SerializedFMUstateSize")
    FUNCTION(Pack, pack, "fmi2SerializeFMUstate")
    FUNCTION(Unpack, unpack, "fmi2DeSerializeFMUstate")
    FUNCTION(Release, release, "fmi2FreeInstance")
}

#endif
