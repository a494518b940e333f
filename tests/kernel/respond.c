/* For tests: what all devices do, asked for from outside, with their slopes. */
#include "kernel.h"

#include <stdlib.h>

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

/* `given` has measures, their rates, states and unknowns; `found` gets forces, rates of states, unknowns, and slopes of all devices
 * one after the other.  The inputs are those of the instance, whose outputs have been read. */
EXPORT int respond(Kernel *k, const double *given, int sloped, double *found) {
    const Model *m = k->m;
    for (int i = 0; i < m->connections; i++) {
        k->device_values[m->tie[i].s] = given[i];
        k->device_values[m->tie[i].sdot] = given[m->connections + i];
    }
    given += 2 * m->connections;
    for (int i = 0; i < m->states; i++) k->device_x[i] = *given++;
    for (int i = 0; i < m->unknowns; i++) k->device_u[i] = *given++;
    if (kt_respond(k, k->inputs, sloped)) return KT_ERROR;
    for (int i = 0; i < m->connections; i++) *found++ = k->device_force[i];
    for (int i = 0; i < m->states; i++) *found++ = k->device_rate[i];
    for (int i = 0; i < m->unknowns; i++) *found++ = k->device_u[i];
    for (size_t i = 0; sloped && i < m->device_slopes; i++) *found++ = k->device_F[i];
    return KT_OK;
}
