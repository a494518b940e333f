/* Loops around a kernel, timed in C.  Processor time, in seconds per step; negative if a call failed.  Kernels are
 * called through their tables of functions, so that one process can time many. */
#define _POSIX_C_SOURCE 200809L

#include "kinetab.h"

#include <time.h>

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT
#endif

typedef struct {
    const uint32_t *references;
    size_t n;
    double *values;
} Variables;

/* Functions of a kernel, as kinetab.h has them. */
typedef struct {
    double (*time)(const kt_instance *instance);
    kt_status (*set)(kt_instance *instance, const uint32_t *references, size_t n, const double *values);
    kt_status (*step)(kt_instance *instance, double time, double size);
    kt_status (*get)(kt_instance *instance, const uint32_t *references, size_t n, double *values);
    kt_status (*restore)(kt_instance *instance, const void *block, size_t size);
} Calls;

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Steps alone. */
EXPORT double loop_steps(const Calls *kt, kt_instance *k, size_t steps, double size) {
    double first = kt->time(k), start = seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (size_t i = 0; i < steps; i++)
        if (kt->step(k, first + (double)i * size, size) > KT_WARNING) return -1.0;
    return (seconds(CLOCK_PROCESS_CPUTIME_ID) - start) / (double)steps;
}

/* As a master does it: set inputs, step, read outputs. */
EXPORT double loop_master(const Calls *kt, kt_instance *k, const Variables *in, const Variables *out, size_t steps,
                          double size) {
    double first = kt->time(k), start = seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (size_t i = 0; i < steps; i++) {
        if (kt->set(k, in->references, in->n, in->values) > KT_WARNING) return -1.0;
        if (kt->step(k, first + (double)i * size, size) > KT_WARNING) return -1.0;
        if (kt->get(k, out->references, out->n, out->values) > KT_WARNING) return -1.0;
    }
    return (seconds(CLOCK_PROCESS_CPUTIME_ID) - start) / (double)steps;
}

/* A manoeuvre from a saved state: values[steps][n] of the inputs, one row per step. */
EXPORT double loop_forces(const Calls *kt, kt_instance *k, const void *saved, size_t bytes, const Variables *in,
                          size_t steps, double size) {
    if (kt->restore(k, saved, bytes) != KT_OK) return -1.0;
    double first = kt->time(k), start = seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (size_t i = 0; i < steps; i++) {
        if (kt->set(k, in->references, in->n, in->values + i * in->n) > KT_WARNING) return -1.0;
        if (kt->step(k, first + (double)i * size, size) > KT_WARNING) return -1.0;
    }
    return (seconds(CLOCK_PROCESS_CPUTIME_ID) - start) / (double)steps;
}

/* As a master does it, values[steps][n] of the inputs; each[steps] is how long every step took by the wall clock. */
EXPORT double loop_each(const Calls *kt, kt_instance *k, const Variables *in, const Variables *out, size_t steps,
                        double size, double *each) {
    double first = kt->time(k), start = seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (size_t i = 0; i < steps; i++) {
        double begun = seconds(CLOCK_MONOTONIC);
        if (kt->set(k, in->references, in->n, in->values + i * in->n) > KT_WARNING) return -1.0;
        if (kt->step(k, first + (double)i * size, size) > KT_WARNING) return -1.0;
        if (kt->get(k, out->references, out->n, out->values) > KT_WARNING) return -1.0;
        each[i] = seconds(CLOCK_MONOTONIC) - begun;
    }
    return (seconds(CLOCK_PROCESS_CPUTIME_ID) - start) / (double)steps;
}
