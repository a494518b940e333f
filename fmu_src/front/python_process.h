/* The Python in this process. */
#ifndef KINETAB_PYTHON_PROCESS_H
#define KINETAB_PYTHON_PROCESS_H

#include <stddef.h>

/* See to it that Python runs in this process: that of the host if it has one, otherwise that of `python3` on PATH.
 * Returns 0, or 1 and why not in message[room]. */
int kt_start_python(char *message, size_t room);

/* A call of something in Python.  An interrupt (Ctrl-C) that falls into it would end up as an exception somewhere in the
 * slave or in pythonfmu, which then is of no more use.  So it is remembered, and the host gets it after the call. */
typedef struct {
    int lock; /* of the interpreter, as it was before */
    int held; /* interrupts are */
} kt_visit;

kt_visit kt_enter_python(void);
void kt_leave_python(kt_visit visit);

#endif
