/* The Python in this process. */
#ifndef KINETAB_PYTHON_PROCESS_H
#define KINETAB_PYTHON_PROCESS_H

#include <stddef.h>

/* See to it that Python runs in this process: that of the host if it has one, otherwise that of `python3` on PATH.
 * Returns 0, or 1 and why not in message[room]. */
int kt_start_python(char *message, size_t room);

#endif
