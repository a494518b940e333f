/* An FMI 2.0 co-simulation host that does what standard input says, a line each; for platforms that Python is not on.
 *
 *     load LIBRARY                   paths are UTF-8
 *     create GUID RESOURCES          an instance; it is the one that all below act on
 *     start                          set it up and initialize it
 *     set 9=1.5,10=2                 value references and values
 *     step TIME SIZE
 *     get 16,17                      prints the values, exactly (%a), in a line
 *     save | restore                 the state of the instance, in memory
 *     pack | unpack                  the saved state as bytes, of which it prints the number; a state from these bytes
 *     free                           the instance; the bytes stay
 *
 * Messages of the FMU go to standard error.  Exit code 1 with the line if one fails.
 */
#include "fmu.h"

#define LONGEST 65536

typedef struct {
    Fmu fmu;
    fmi2Component instance;
    fmi2FMUstate state;
    fmi2Byte *bytes;
    size_t size;
} Session;

static const fmi2CallbackFunctions callbacks = {log_message, calloc, free, NULL, NULL};

/* The next word of a line; the last one keeps its spaces. */
static char *word(char **rest, int last) {
    char *start = *rest, *end = last ? NULL : strchr(start, ' ');
    if (end)
        *end = 0;
    *rest = end ? end + 1 : start + strlen(start);
    return start;
}

static fmi2Status create(Session *s, char *rest) {
    char *guid = word(&rest, 0), *resources = word(&rest, 1);
    s->instance = s->fmu.instantiate("host", fmi2CoSimulation, guid, resources, &callbacks, fmi2False, fmi2False);
    return s->instance ? fmi2OK : fmi2Error;
}

static fmi2Status start(Session *s) {
    fmi2Status status = s->fmu.setup(s->instance, fmi2False, 0.0, 0.0, fmi2False, 0.0);
    if (status <= fmi2Warning)
        status = s->fmu.enter(s->instance);
    return status <= fmi2Warning ? s->fmu.leave(s->instance) : status;
}

static fmi2Status exchange(Session *s, char *rest, int get) {
    static fmi2ValueReference references[MOST];
    static double values[MOST];
    size_t n = parse(rest, references, values);
    if (!get)
        return s->fmu.set(s->instance, references, n, values);
    fmi2Status status = s->fmu.get(s->instance, references, n, values);
    for (size_t i = 0; i < n && status <= fmi2Warning; i++)
        printf("%a%c", values[i], i + 1 < n ? ',' : '\n');
    return status;
}

static fmi2Status step(Session *s, char *rest) {
    double time = strtod(word(&rest, 0), NULL), size = strtod(word(&rest, 0), NULL);
    return s->fmu.step(s->instance, time, size, fmi2True);
}

static fmi2Status pack(Session *s) {
    fmi2Status status = s->fmu.state_size(s->instance, s->state, &s->size);
    if (status > fmi2Warning)
        return status;
    s->bytes = realloc(s->bytes, s->size);
    printf("%lu\n", (unsigned long)s->size);
    return s->bytes ? s->fmu.pack(s->instance, s->state, s->bytes, s->size) : fmi2Fatal;
}

static fmi2Status release(Session *s) {
    if (s->state)
        s->fmu.drop(s->instance, &s->state);
    s->fmu.release(s->instance);
    s->instance = s->state = NULL;
    return fmi2OK;
}

static fmi2Status obey(Session *s, char *rest) {
    const char *what = word(&rest, 0);
    if (strcmp(what, "load") == 0)
        return open_fmu(&s->fmu, rest), fmi2OK;
    if (strcmp(what, "create") == 0)
        return create(s, rest);
    if (!s->instance)
        return fmi2Fatal;
    if (strcmp(what, "start") == 0)
        return start(s);
    if (strcmp(what, "set") == 0 || strcmp(what, "get") == 0)
        return exchange(s, rest, *what == 'g');
    if (strcmp(what, "step") == 0)
        return step(s, rest);
    if (strcmp(what, "save") == 0)
        return s->fmu.save(s->instance, &s->state);
    if (strcmp(what, "restore") == 0)
        return s->fmu.restore(s->instance, s->state);
    if (strcmp(what, "pack") == 0)
        return pack(s);
    if (strcmp(what, "unpack") == 0)
        return s->fmu.unpack(s->instance, s->bytes, s->size, &s->state);
    return strcmp(what, "free") == 0 ? release(s) : fmi2Fatal;
}

int main(void) {
    static char line[LONGEST], copy[LONGEST];
    static Session session;
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\r\n")] = 0;
        strcpy(copy, line);
        if (obey(&session, line) > fmi2Warning) {
            fprintf(stderr, "failed: %s\n", copy);
            return 1;
        }
    }
    return 0;
}
