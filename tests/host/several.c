/* Several FMUs in one process, twice: a second run after everything was freed and unloaded.
 *
 *     several STEPS SIZE OUTPUT (LIBRARY GUID RESOURCES)...
 *
 * Two instances of each FMU, all stepped in turn.  Prints OUTPUT of every instance, exactly (%a), a line for each run.
 */
#define _POSIX_C_SOURCE 200809L

#include "fmu.h"

#define FMUS 8

typedef struct {
    Fmu fmu;
    fmi2Component pair[2];
} Loaded;

static int start(Loaded *f, char **words, const fmi2CallbackFunctions *callbacks) {
    open_fmu(&f->fmu, words[0]);
    for (int i = 0; i < 2; i++) {
        fmi2Component c = f->pair[i] =
            f->fmu.instantiate("several", fmi2CoSimulation, words[1], words[2], callbacks, fmi2False, fmi2False);
        if (!c)
            return 1;
        check(f->fmu.setup(c, fmi2False, 0.0, 0.0, fmi2False, 0.0), "fmi2SetupExperiment");
        check(f->fmu.enter(c), "fmi2EnterInitializationMode");
        check(f->fmu.leave(c), "fmi2ExitInitializationMode");
    }
    return 0;
}

static int run(int count, char **words, long steps, double size, fmi2ValueReference output) {
    static const fmi2CallbackFunctions callbacks = {log_message, calloc, free, NULL, NULL};
    Loaded fmus[FMUS];

    for (int k = 0; k < count; k++)
        if (start(fmus + k, words + 3 * k, &callbacks))
            return 1;
    for (long i = 0; i < steps; i++)
        for (int k = 0; k < 2 * count; k++)
            check(fmus[k / 2].fmu.step(fmus[k / 2].pair[k % 2], (double)i * size, size, fmi2True), "fmi2DoStep");
    for (int k = 0; k < 2 * count; k++) {
        double value;
        check(fmus[k / 2].fmu.get(fmus[k / 2].pair[k % 2], &output, 1, &value), "fmi2GetReal");
        printf(k ? ",%a" : "%a", value);
        fmus[k / 2].fmu.release(fmus[k / 2].pair[k % 2]);
    }
    putchar('\n');
    for (int k = 0; k < count; k++)
        unload(fmus[k].fmu.library);
    return 0;
}

int main(int count, char **words) {
    int fmus = (count - 4) / 3;

    if (count < 7 || (count - 4) % 3 || fmus > FMUS) {
        fprintf(stderr, "several STEPS SIZE OUTPUT (LIBRARY GUID RESOURCES)...\n");
        return 2;
    }
    long steps = strtol(words[1], NULL, 10);
    double size = strtod(words[2], NULL);
    fmi2ValueReference output = (fmi2ValueReference)strtoul(words[3], NULL, 10);
    return run(fmus, words + 4, steps, size, output) || run(fmus, words + 4, steps, size, output);
}
