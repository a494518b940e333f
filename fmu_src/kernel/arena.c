/* Memory of an instance: pieces in a list, all zero, aligned for vectors, freed at once. */
#include "internal.h"

#include <stdlib.h>

#define ALIGNMENT 64

typedef struct Memory { struct Memory *next; } Memory;

void *kt_take(kt_instance *instance, size_t count, size_t size) {
    if (count > (SIZE_MAX - 2 * ALIGNMENT) / (size ? size : 1)) return NULL;
    char *raw = calloc(1, count * size + 2 * ALIGNMENT);
    if (!raw) return NULL;
    Memory *piece = (Memory *)(void *)raw;
    piece->next = instance->arena;
    instance->arena = piece;
    return raw + 2 * ALIGNMENT - (uintptr_t)raw % ALIGNMENT;
}

void kt_release(kt_instance *instance) {
    for (Memory *piece = instance->arena; piece;) {
        Memory *next = piece->next;
        free(piece);
        piece = next;
    }
    instance->arena = NULL;
}
