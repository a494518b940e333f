/* Loops around the kernel, timed in C.  Processor time, in seconds per step; negative if a call failed. */
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

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Steps alone. */
EXPORT double loop_steps(kt_instance *k, size_t steps, double size) {
    double first = kt_time(k), start = seconds();
    for (size_t i = 0; i < steps; i++)
        if (kt_step(k, first + (double)i * size, size) > KT_WARNING) return -1.0;
    return (seconds() - start) / (double)steps;
}

/* As a master does it: set inputs, step, read outputs. */
EXPORT double loop_master(kt_instance *k, const Variables *in, const Variables *out, size_t steps, double size) {
    double first = kt_time(k), start = seconds();
    for (size_t i = 0; i < steps; i++) {
        if (kt_set(k, in->references, in->n, in->values) > KT_WARNING) return -1.0;
        if (kt_step(k, first + (double)i * size, size) > KT_WARNING) return -1.0;
        if (kt_get(k, out->references, out->n, out->values) > KT_WARNING) return -1.0;
    }
    return (seconds() - start) / (double)steps;
}

/* A manoeuvre from a saved state: values[steps][n] of the inputs, one row per step. */
EXPORT double loop_forces(kt_instance *k, const void *saved, size_t bytes, const Variables *in, size_t steps,
                          double size) {
    if (kt_restore(k, saved, bytes) != KT_OK) return -1.0;
    double first = kt_time(k), start = seconds();
    for (size_t i = 0; i < steps; i++) {
        if (kt_set(k, in->references, in->n, in->values + i * in->n) > KT_WARNING) return -1.0;
        if (kt_step(k, first + (double)i * size, size) > KT_WARNING) return -1.0;
    }
    return (seconds() - start) / (double)steps;
}
