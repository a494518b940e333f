/* Instances in memory of the host, from a file or from bytes. */
#include "kernel.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#define NOUSER /* INPUT */
#include <windows.h>

static FILE *opened(const char *path) {
    wchar_t wide[32768];
    return MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, 32768) ? _wfopen(wide, L"rb") : NULL;
}
#else
static FILE *opened(const char *path) { return fopen(path, "rb"); }
#endif

#define CHUNK 65536 /* bytes of a file that are read first, then twice as many each time */

/* All that is in a file.  It is read, not mapped: whoever cuts a mapped file short kills the host. */
static void *contents(FILE *file, size_t *size) {
    char *found = NULL;
    size_t got = 0;
    for (size_t room = CHUNK; room <= SIZE_MAX / 4; room *= 2) {
        char *more = realloc(found, room);
        if (!more) break;
        found = more;
        got += fread(found + got, 1, room - got, file);
        if (got == room) continue;
        *size = got;
        if (ferror(file) || !got) break;
        more = realloc(found, got);
        return more ? more : found;
    }
    free(found);
    return NULL;
}

#define LEAST 65536      /* bytes that a model is given, */
#define MOST_GROWTH 4096 /* and at most so many times the size of its file */
#define NO_MEMORY "there is not enough memory for an instance"

/* Where vectors may lie in memory that has room for it. */
static void *aligned(void *raw) { return (char *)raw + 64 - (uintptr_t)raw % 64; }

/* The model in memory of its own, in *raw: as much as it takes, and no more is kept. */
static const Model *read_model(const void *blob, size_t size, void **raw, Fault *fault) {
    const size_t most = size < SIZE_MAX / 4 / MOST_GROWTH ? LEAST + MOST_GROWTH * size : SIZE_MAX / 2;
    const Model *m = NULL;
    size_t used = 0;
    for (size_t bytes = LEAST + 4 * size; !used && bytes <= most; bytes *= 2) {
        free(*raw);
        if (!(*raw = malloc(bytes + 64))) return NULL;
        m = kt_read_model(blob, size, aligned(*raw), bytes, &used, fault);
    }
    void *less = m ? realloc(*raw, used + 64) : NULL;
    if (!less || less == *raw) return m;
    *raw = less; /* elsewhere, where it is not what was read */
    return kt_read_model(blob, size, aligned(less), used, &used, fault);
}

kt_instance *kt_create(const void *blob, size_t size, char *message, size_t room) {
    Fault fault = {0};
    void *raw[2] = {NULL, NULL};
    const Model *m = read_model(blob, size, raw, &fault);
    if (m && !kt_hot()->fits(m)) {
        fault.format = "its shape is not the one that this kernel was compiled for; build the FMU again";
        m = NULL;
    }
    if (m) raw[1] = calloc(1, kt_instance_bytes(m) + 64);
    if (!raw[1]) {
        if (m || !fault.format) snprintf(message, room, NO_MEMORY);
        else kt_format(&fault, message, room);
        free(raw[0]);
        return NULL;
    }
    kt_instance *k = kt_make(m, aligned(raw[1]));
    k->memory[0] = raw[0];
    k->memory[1] = raw[1];
    return k;
}

kt_instance *kt_open(const char *path, char *message, size_t room) {
    size_t size = 0;
    char cause[sizeof ((kt_instance *)0)->message];
    FILE *file = opened(path);
    void *blob = file ? contents(file, &size) : NULL;
    if (file) fclose(file);
    if (!blob) {
        snprintf(message, room, "cannot read the model file '%s'; bake the mechanism again", path);
        return NULL;
    }
    kt_instance *k = kt_create(blob, size, cause, sizeof cause);
    if (k) {
        k->memory[2] = blob;
        return k;
    }
    snprintf(message, room, "model file '%s': %s", path, cause);
    free(blob);
    return NULL;
}

void kt_free(kt_instance *k) {
    if (!k) return;
    void *memory[3] = {k->memory[0], k->memory[1], k->memory[2]}; /* k lies in one of them */
    for (int i = 0; i < 3; i++) free(memory[i]);
}
