/* kinetab kernel: runs a reduced model from its model file.  C99 with the vectors of GCC and Clang, no dependencies, no
 * globals.  What fmi2.c needs of this interface is also there over a slave in Python, see front/python_model.c.
 *
 * An instance is used by one thread at a time; different instances are independent.  After kt_open nothing is
 * allocated.  Functions return a status; after anything but KT_OK kt_message says why, naming object, numbers and limit.
 * A call that fails leaves the instance as it was.
 */
#ifndef KINETAB_H
#define KINETAB_H

#include "names.h"

#include <stddef.h>
#include <stdint.h>

#if defined(KT_SHARED) && defined(_WIN32)
#define KT_API __declspec(dllexport)
#elif defined(KT_SHARED) && defined(__GNUC__)
#define KT_API __attribute__((visibility("default")))
#else
#define KT_API
#endif

#define KT_VERSION 1 /* of this interface */

/* Values as in FMI 2.0; the kernel has no fatal errors. */
typedef enum { KT_OK = 0, KT_WARNING = 1, KT_ERROR = 3, KT_FATAL = 4 } kt_status;

typedef enum { KT_INSTANTIATED = 0, KT_INITIALIZING = 1, KT_STEPPING = 2, KT_TERMINATED = 3 } kt_phase;

typedef struct kt_instance kt_instance;

KT_API int kt_version(void);

/* An instance of the model in a model file, or NULL and a text in message[room].  The path is UTF-8.  The file is
 * read, and not needed any more: it may be changed or removed. */
KT_API kt_instance *kt_open(const char *path, char *message, size_t room);

/* The same from bytes that outlive the instance; at a multiple of 8 bytes. */
KT_API kt_instance *kt_create(const void *blob, size_t size, char *message, size_t room);

KT_API void kt_free(kt_instance *instance);

/* Back to where kt_open left it. */
KT_API kt_status kt_reset(kt_instance *instance);

/* Text of the last warning or error, and whether that was a coordinate outside its table. */
KT_API const char *kt_message(const kt_instance *instance);
KT_API int kt_out_of_table(const kt_instance *instance);

KT_API kt_phase kt_phase_of(const kt_instance *instance);
KT_API double kt_time(const kt_instance *instance);
KT_API size_t kt_count(const kt_instance *instance); /* of variables; value references are below it */
KT_API const char *kt_guid(const kt_instance *instance); /* 32 hexadecimal digits that stand for the model's content */

KT_API kt_status kt_setup(kt_instance *instance, double start_time);
KT_API kt_status kt_enter_initialization(kt_instance *instance);
KT_API kt_status kt_exit_initialization(kt_instance *instance);
KT_API kt_status kt_terminate(kt_instance *instance);

/* Variables by value reference.  Outputs are computed when asked for. */
KT_API kt_status kt_get(kt_instance *instance, const uint32_t *references, size_t n, double *values);
KT_API kt_status kt_set(kt_instance *instance, const uint32_t *references, size_t n, const double *values);

/* First derivatives in time of inputs, for the next step only. */
KT_API kt_status kt_set_input_rates(kt_instance *instance, const uint32_t *references, size_t n, const double *rates);

/* From `time` to `time + size`. */
KT_API kt_status kt_step(kt_instance *instance, double time, double size);

/* How outputs change with inputs at this instant: unknown = d(unknowns)/d(knowns) seed. */
KT_API kt_status kt_directional(kt_instance *instance, const uint32_t *unknowns, size_t nu, const uint32_t *knowns,
                                size_t nk, const double *seed, double *unknown);

/* Everything that makes a later step come out the same, as one block of bytes. */
KT_API size_t kt_state_size(const kt_instance *instance);
KT_API kt_status kt_save(kt_instance *instance, void *block);
KT_API kt_status kt_restore(kt_instance *instance, const void *block, size_t size);

#endif
