/* pythonfmu's library counts on Python's functions being there, which they are only where the host itself is Python.
 * In other hosts libpython is loaded here, for all to see, and Python is started.  It is never ended: modules made in C
 * do not survive a second start, and a host that unloads one FMU may load another. */
#define _GNU_SOURCE

#include "python_process.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OLDEST 11 /* Python 3.11 */

/* Asks python3 for its version and its library; the shell gives it as one word, hence no quotes of that
 * kind inside.  The first word is there because some print a greeting first.  Without the variables of the environment
 * that may keep it from starting. */
#define ANSWER "kinetab"
static const char QUESTION[] =
    "python3 -I -S -c '"
    "import os, sys, sysconfig\n"
    "get = sysconfig.get_config_var\n"
    "folders = [get(\"LIBDIR\"), sys.base_exec_prefix + \"/lib\", get(\"LIBPL\")]\n"
    "names = [get(\"INSTSONAME\"), get(\"LDLIBRARY\")]\n"
    "paths = [os.path.join(a, b) for a in folders for b in names if a and b and \".so\" in b]\n"
    "print(\"" ANSWER "\", sys.version_info[1], next(filter(os.path.isfile, paths), \"\"), sep=\"\\n\")"
    "' 2>/dev/null";

/* With them: what does not start there would here end the host. */
static const char TRIAL[] = "python3 -S -c 'print(\"" ANSWER "\")' 2>/dev/null";

static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;

/* A function of Python; the union because ISO C has no cast from an object to a function pointer. */
typedef union {
    void *object;
    int (*is_initialized)(void);
    void (*initialize)(int);
    void *(*save_thread)(void);
    int (*lock)(void);
    void (*unlock)(int);
    int (*check_signals)(void);
    void (*clear_error)(void);
} Function;

static Function lock, unlock, check_signals, clear_error;

static Function python(const char *name) {
    Function f;
    f.object = dlsym(RTLD_DEFAULT, name);
    return f;
}

/* One line of an answer, without its end; 0 if there is none. */
static int line(FILE *from, char *text, int room) {
    int found = fgets(text, room, from) != NULL;
    if (!found) text[0] = 0;
    text[strcspn(text, "\n")] = 0;
    return found;
}

/* The answer of a command, from the line after the first word on; NULL if no process can be started. */
static FILE *ask(const char *command, int *answered) {
    char text[4096];
    FILE *answer = popen(command, "r");
    *answered = 0;
    while (answer && !*answered && line(answer, text, sizeof text)) *answered = strcmp(text, ANSWER) == 0;
    return answer;
}

/* PYTHONHOME and the like may be meant for another Python. */
static int try_python(char *message, size_t room) {
    const char *home = getenv("PYTHONHOME"), *path = getenv("PYTHONPATH");
    int answered = 1;
    FILE *answer = home || path ? ask(TRIAL, &answered) : NULL;
    if (answer) pclose(answer);
    if (answered) return 0;
    snprintf(message, room, "python3 on PATH does not start with PYTHONHOME = '%s' and PYTHONPATH = '%s'; unset them",
             home ? home : "", path ? path : "");
    return 1;
}

static int load_python(char *message, size_t room) {
    char version[16], path[4096], name[64];
    int minor = 0, answered;
    FILE *answer = ask(QUESTION, &answered);
    if (!answer) {
        snprintf(message, room, "python3 cannot be asked for its library: a process cannot be started");
        return 1;
    }
    line(answer, version, sizeof version);
    line(answer, path, sizeof path);
    pclose(answer);
    if (sscanf(version, "%d", &minor) != 1) {
        snprintf(message, room, "there is no python3 on PATH; put the folder bin of a Python 3.%d or later first on PATH, or use a "
                 "native FMU, which needs no Python", OLDEST);
        return 1;
    }
    if (minor < OLDEST) {
        snprintf(message, room, "python3 on PATH is Python 3.%d; this FMU needs 3.%d or later", minor, OLDEST);
        return 1;
    }
    if (!path[0]) { /* perhaps the system's own search finds it */
        snprintf(name, sizeof name, "libpython3.%d.so.1.0", minor);
        snprintf(path, sizeof path, "%s", name);
    }
    if (try_python(message, room)) return 1;
    if (!dlopen(path, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE)) {
        snprintf(message, room, "Python 3.%d on PATH has no shared library that can be loaded (%s); install libpython3.%d, or use a "
                 "native FMU, which needs no Python", minor, dlerror(), minor);
        return 1;
    }
    return 0;
}

static int start(char *message, size_t room) {
    if (!python("Py_IsInitialized").object && load_python(message, room)) return 1;
    if (python("Py_IsInitialized").is_initialized()) return 0;
    int *utf8 = dlsym(RTLD_DEFAULT, "Py_UTF8Mode"); /* or else names of files are ASCII where no locale is set */
    if (utf8) *utf8 = 1;
    python("Py_InitializeEx").initialize(0); /* signals stay the host's */
    python("PyEval_SaveThread").save_thread();
    return 0;
}

/* --- calls -------------------------------------------------------------------------------------------------------- */

static volatile sig_atomic_t interrupted;
static struct sigaction of_host;
static int raised; /* interrupts are, by Python: not in a host that has none, nor if it lets Python ignore them */

/* Whether it is in the same library or program as Python. */
static int of_python(void (*handler)(int)) {
    Dl_info here, there;
    union {
        void (*function)(int);
        void *object;
    } found = {handler};
    return found.object && dladdr(found.object, &here) && dladdr(lock.object, &there) && here.dli_fbase == there.dli_fbase;
}

static void look_at_interrupts(void) {
    struct sigaction now;
    if (!raised) raised = !sigaction(SIGINT, NULL, &now) && of_python(now.sa_handler);
}

static void remember(int signal) {
    (void)signal;
    interrupted = 1;
}

static int in_main_thread(void) {
    static __thread int known; /* asking takes as long as the rest */
    if (!known) known = syscall(SYS_gettid) == getpid() ? 1 : -1;
    return known > 0;
}

/* Python raises interrupts in the main thread only, so only there something has to be done, and one place for what was
 * there before is enough. */
static int hold_interrupts(void) {
    struct sigaction ours = {.sa_handler = remember, .sa_flags = SA_RESTART};
    if (!raised || !in_main_thread() || sigaction(SIGINT, &ours, &of_host)) return 0;
    if (check_signals.check_signals()) { /* one had come already, but the host had not yet been told */
        clear_error.clear_error();
        interrupted = 1;
    }
    return 1;
}

static void let_interrupts(void) {
    sigaction(SIGINT, &of_host, NULL);
    if (!interrupted) return;
    interrupted = 0;
    raise(SIGINT);
}

kt_visit kt_enter_python(void) {
    kt_visit visit;
    visit.lock = lock.lock();
    visit.held = hold_interrupts();
    return visit;
}

void kt_leave_python(kt_visit visit) {
    if (visit.held) let_interrupts();
    unlock.unlock(visit.lock);
}

int kt_start_python(char *message, size_t room) {
    pthread_mutex_lock(&starting);
    int failed = start(message, room);
    if (!failed) {
        lock = python("PyGILState_Ensure");
        unlock = python("PyGILState_Release");
        check_signals = python("PyErr_CheckSignals");
        clear_error = python("PyErr_Clear");
        look_at_interrupts();
    }
    pthread_mutex_unlock(&starting);
    return failed;
}
