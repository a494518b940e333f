/* A model file in memory, mapped so that instances share it. */
#if !defined(_WIN32) && !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef _WIN32
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

kt_instance *kt_open(const char *path, char *message, size_t room) {
    size_t size = 0;
    void *blob = map(path, &size);
    if (!blob) {
        snprintf(message, room, "cannot read the model file '%s'; bake the mechanism again", path);
        return NULL;
    }
    char cause[KT_MESSAGE];
    kt_instance *instance = kt_create(blob, size, cause, sizeof cause);
    if (!instance) {
        snprintf(message, room, "model file '%s': %s", path, cause);
        unmap(blob, size);
        return NULL;
    }
    instance->mapping = blob;
    instance->mapped = size;
    return instance;
}

void kt_free(kt_instance *instance) {
    if (!instance) return;
    if (instance->mapping) unmap(instance->mapping, instance->mapped);
    kt_release(instance);
    free(instance);
}
