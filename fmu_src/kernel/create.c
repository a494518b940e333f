/* Making an instance: its model is read, and all memory taken that it will ever need. */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>

static int allocate(kt_instance *k) {
    const Model *m = &k->model;
    k->wide = padded(m->nz);
    size_t nz = (size_t)m->nz, columns = m->most_columns, elements = (size_t)m->elements + 2 * KT_CHUNK;
    size_t wide = (size_t)padded(m->nz), rows = m->most_rows, grids = m->most_grids, inputs = (size_t)m->inputs + 1;
    size_t packed = nz * (nz + 1) / 2 + wide + KT_CHUNK;
    double **vectors[] = {&k->read_z, &k->instant.z, &k->instant.zd, &k->instant.u,
                          &k->instant.zdd, &k->instant.force};
    k->block_size = AT_Z + KT_VECTORS * wide + (size_t)m->inputs + (size_t)m->variables;
    int full = 1, in_registers = k->hot->midpoint_12 && m->nz > KT_CHUNK && m->nz <= 12 && m->nf < KT_MOST_AXES;
    for (int c = 0; c < m->charts; c++) in_registers &= m->chart[c].loads == m->nz * (m->nz + 1) / 2;
#define TAKE(pointer, count) full &= ((pointer) = kt_take(k, (count), sizeof *(pointer))) != NULL
    TAKE(k->block, k->block_size);
    TAKE(k->saved, (1 + KT_VECTORS) * wide);
    TAKE(k->bent, 2 * (size_t)m->bends + 1);
    TAKE(k->parameters, (size_t)m->parameters + 1);
    TAKE(k->inputs, inputs);
    TAKE(k->now, inputs);
    TAKE(k->before, (size_t)(m->outputs_at - m->first_input) + 1);
    TAKE(k->fresh_marker, (size_t)m->markers + 1);
    TAKE(k->span, grids + 1);
    TAKE(k->basis, (grids + 1) * 2 * (KT_MOST_DEGREE + KT_CHUNK));
    if (m->quasistatic) TAKE(k->column, (1 + KT_MOST_AXES) * columns + 1);
    TAKE(k->V, (1 + nz) * rows + wide);
    TAKE(k->load, rows + elements);
    TAKE(k->s, elements);
    TAKE(k->sdot, elements);
    TAKE(k->element_force, elements);
    TAKE(k->measure_force, elements);
    TAKE(k->measure_rate, elements);
    TAKE(k->push, elements);
    TAKE(k->stiffness, elements);
    TAKE(k->damping, elements);
    TAKE(k->gradients, 3 * wide * elements);
    TAKE(k->along, elements);
    TAKE(k->rate, elements);

    TAKE(k->matrix, wide * (wide + 1));
    TAKE(k->factor, wide * (wide + KT_MOST_AXES) + 6 * nz);
    TAKE(k->M, wide * (wide + 1));
    TAKE(k->K, wide * wide);
    TAKE(k->C, wide * wide);
    TAKE(k->K0, wide * wide);
    TAKE(k->C0, wide * wide);
    TAKE(k->K1, wide * wide);
    TAKE(k->C1, wide * wide);
    TAKE(k->Q0, wide);
    TAKE(k->p, KT_STAGES * wide);
    TAKE(k->w, KT_STAGES * wide);
    TAKE(k->packed, packed);
    TAKE(k->weights, packed);
    for (int i = 0; i < 10; i++) TAKE(k->stage[i], 2 * wide);
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) TAKE(*vectors[i], 4 * wide);
    if (in_registers) {
        TAKE(k->entries, packed / KT_CHUNK);
        TAKE(k->twelve, 1);
    }
    if (!full) return kt_fail(k, FAILED, "there is not enough memory for an instance");
    k->rates = k->block + AT_Z + KT_VECTORS * wide;
    k->values = k->rates + m->inputs;
    for (int i = 0, e = 0; k->entries && i < m->nz; i++)
        for (int j = i; j < m->nz; j++, e++) {
            Entries *to = k->entries + e / KT_CHUNK;
            to->row[e % KT_CHUNK] = i;
            to->column[e % KT_CHUNK] = j;
            to->half[e % KT_CHUNK] = i == j ? 0.5 : 1.0;
        }
    return OK;
}

kt_instance *kt_create(const void *blob, size_t size, char *message, size_t room) {
    kt_instance *k = calloc(1, sizeof *k);
    if (!k) {
        snprintf(message, room, "there is not enough memory for an instance");
        return NULL;
    }
    int bad = (uintptr_t)blob % 8 ? kt_fail(k, FAILED, "its bytes are not aligned") : kt_read_model(k, blob, size);
    k->hot = kt_hot();
    if (bad || allocate(k)) {
        snprintf(message, room, "%s", k->message);
        kt_free(k);
        return NULL;
    }
    kt_reset(k);
    return k;
}
