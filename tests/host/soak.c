/* Many instances of an FMU, many steps, and a look at the memory.
 *
 *     soak LIBRARY GUID RESOURCES INSTANCES STEPS SIZE OUTPUTS
 *
 * Makes the instances, takes STEPS steps with each of them in turn, reads OUTPUTS after every step, saves and restores
 * the first instance's state now and then, frees all; then makes and frees them again.  Prints resident memory in KiB:
 * with all instances, after a tenth of the steps, after all steps, and after the second time.
 */
#define _POSIX_C_SOURCE 200809L

#include "fmu.h"


static long resident(void) {
    char line[256];
    long found = -1;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "VmRSS: %ld", &found) == 1) break;
    if (file) fclose(file);
    return found;
}

int main(int count, char **words) {
    static fmi2ValueReference outputs[MOST];
    static double values[MOST];
    static fmi2Component c[MOST];
    fmi2CallbackFunctions callbacks = {log_message, calloc, free, NULL, NULL};
    long instances = count == 8 ? strtol(words[4], NULL, 10) : 0;
    if (instances < 1 || instances > MOST) {
        fprintf(stderr, "soak LIBRARY GUID RESOURCES INSTANCES STEPS SIZE OUTPUTS, up to %d instances\n", MOST);
        return 2;
    }
    long steps = strtol(words[5], NULL, 10);
    double size = strtod(words[6], NULL);
    size_t n = parse(words[7], outputs, values);
    Fmu fmu;
    open_fmu(&fmu, words[1]);

    for (int cycle = 0; cycle < 2; cycle++) {
        for (long k = 0; k < instances; k++) {
            c[k] = fmu.instantiate("soak", fmi2CoSimulation, words[2], words[3], &callbacks, fmi2False, fmi2False);
            if (!c[k]) return 1;
            check(fmu.setup(c[k], fmi2False, 0.0, 0.0, fmi2False, 0.0), "fmi2SetupExperiment");
            check(fmu.enter(c[k]), "fmi2EnterInitializationMode");
            check(fmu.leave(c[k]), "fmi2ExitInitializationMode");
            check(fmu.get(c[k], outputs, n, values), "fmi2GetReal");
        }
        if (cycle == 0) printf("%ld\n", resident());
        for (long i = 0; i < steps && cycle == 0; i++) {
            if (i == steps / 10) printf("%ld\n", resident());
            for (long k = 0; k < instances; k++) {
                check(fmu.step(c[k], (double)i * size, size, fmi2True), "fmi2DoStep");
                check(fmu.get(c[k], outputs, n, values), "fmi2GetReal");
            }
            if (i % 1000 == 0) {
                fmi2FMUstate state = NULL;
                check(fmu.save(c[0], &state), "fmi2GetFMUstate");
                check(fmu.restore(c[0], state), "fmi2SetFMUstate");
                check(fmu.drop(c[0], &state), "fmi2FreeFMUstate");
            }
        }
        printf("%ld\n", resident());
        for (long k = 0; k < instances; k++) {
            fmu.release(c[k]);
            c[k] = NULL;
        }
    }
    return 0;
}
