/* A small FMI 2.0 co-simulation host.
 *
 *     host [-t] [-s STARTS] LIBRARY GUID RESOURCES STEPS SIZE INPUTS OUTPUTS
 *
 * INPUTS are value references and values, 9=1.5,10=2; OUTPUTS are value references, 16,17; each may be "".  Inputs are
 * set and outputs read at every step; STARTS are as INPUTS, and set once, during initialization.  Prints the time and the outputs at the start and after every step, exactly
 * (%a); with -t instead the nanoseconds of processor time per step, all calls of a step included.  Exit code 1 if a call
 * fails.
 */
#define _POSIX_C_SOURCE 200809L

#include "fmu.h"

#include <time.h>

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void print_row(double time, size_t n, const double *values) {
    printf("%a", time);
    for (size_t i = 0; i < n; i++)
        printf(",%a", values[i]);
    putchar('\n');
}

int main(int count, char **words) {
    static fmi2ValueReference starts[MOST], inputs[MOST], outputs[MOST];
    static double start_values[MOST], set_values[MOST], values[MOST];
    fmi2CallbackFunctions callbacks = {log_message, calloc, free, NULL, NULL};
    int timing = count > 1 && strcmp(words[1], "-t") == 0;
    size_t ns = 0;

    words += timing;
    count -= timing;
    if (count > 2 && strcmp(words[1], "-s") == 0) {
        ns = parse(words[2], starts, start_values);
        words += 2;
        count -= 2;
    }
    if (count != 8) {
        fprintf(stderr, "host [-t] [-s STARTS] LIBRARY GUID RESOURCES STEPS SIZE INPUTS OUTPUTS\n");
        return 2;
    }
    long steps = strtol(words[4], NULL, 10);
    double size = strtod(words[5], NULL);
    size_t ni = parse(words[6], inputs, set_values), no = parse(words[7], outputs, values);
    Fmu fmu;
    open_fmu(&fmu, words[1]);

    fmi2Component c = fmu.instantiate("host", fmi2CoSimulation, words[2], words[3], &callbacks, fmi2False, fmi2False);
    if (!c)
        return 1;
    check(fmu.setup(c, fmi2False, 0.0, 0.0, fmi2False, 0.0), "fmi2SetupExperiment");
    check(fmu.enter(c), "fmi2EnterInitializationMode");
    check(fmu.set(c, starts, ns, start_values), "fmi2SetReal");
    check(fmu.set(c, inputs, ni, set_values), "fmi2SetReal");
    check(fmu.leave(c), "fmi2ExitInitializationMode");
    check(fmu.get(c, outputs, no, values), "fmi2GetReal");
    if (!timing)
        print_row(0.0, no, values);
    double started = seconds();
    for (long i = 0; i < steps; i++) {
        check(fmu.set(c, inputs, ni, set_values), "fmi2SetReal");
        check(fmu.step(c, (double)i * size, size, fmi2True), "fmi2DoStep");
        check(fmu.get(c, outputs, no, values), "fmi2GetReal");
        if (!timing)
            print_row((double)(i + 1) * size, no, values);
    }
    if (timing)
        printf("%.1f\n", 1e9 * (seconds() - started) / (double)(steps > 0 ? steps : 1));
    check(fmu.terminate(c), "fmi2Terminate");
    fmu.release(c);
    return 0;
}
