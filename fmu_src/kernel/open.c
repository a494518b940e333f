/* Instances in memory of the host, from a file that is mapped or from bytes. */
#if !defined(_WIN32) && !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include "kernel.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#define NOUSER /* INPUT */
#include <windows.h>

static void *map(const char *path, size_t *size) {
    wchar_t wide[32768];
    void *found = NULL;
    LARGE_INTEGER length;
    if (!MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, 32768)) return NULL;
    HANDLE file = CreateFileW(wide, GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
    if (file == INVALID_HANDLE_VALUE) return NULL;
    if (GetFileSizeEx(file, &length) && length.QuadPart > 0) {
        HANDLE mapping = CreateFileMappingW(file, NULL, PAGE_READONLY, 0, 0, NULL);
        if (mapping) {
            found = MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, 0);
            *size = (size_t)length.QuadPart;
            CloseHandle(mapping);
        }
    }
    CloseHandle(file);
    return found;
}

static void unmap(void *at, size_t size) {
    (void)size;
    UnmapViewOfFile(at);
}
#else
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void *map(const char *path, size_t *size) {
    struct stat info;
    void *found = MAP_FAILED;
    int file = open(path, O_RDONLY);
    if (file < 0) return NULL;
    if (fstat(file, &info) == 0 && info.st_size > 0) {
        *size = (size_t)info.st_size;
        found = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, file, 0);
    }
    close(file);
    return found == MAP_FAILED ? NULL : found;
}

static void unmap(void *at, size_t size) { munmap(at, size); }
#endif

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
    void *blob = map(path, &size);
    if (!blob) {
        snprintf(message, room, "cannot read the model file '%s'; bake the mechanism again", path);
        return NULL;
    }
    kt_instance *k = kt_create(blob, size, cause, sizeof cause);
    if (!k) {
        snprintf(message, room, "model file '%s': %s", path, cause);
        unmap(blob, size);
        return NULL;
    }
    k->mapping = blob;
    k->mapped = size;
    return k;
}

void kt_free(kt_instance *k) {
    if (!k) return;
    void *memory[2] = {k->memory[0], k->memory[1]};
    if (k->mapping) unmap(k->mapping, k->mapped);
    free(memory[1]);
    free(memory[0]);
}
