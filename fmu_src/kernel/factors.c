/* Coefficients of splines from what a model file has of them, see factors.py. */
#include "kernel.h"

/* Along one axis: to (outer, count, inner, step) from (outer, rank, inner, step), of which a chunk of columns. */
static void expand_axis(const Basis *basis, size_t outer, size_t inner, const double *from, size_t step, double *to,
                        size_t to_step) {
    const size_t count = (size_t)basis->count, rank = (size_t)basis->rank;
    for (size_t o = 0; o < outer; o++)
        for (size_t i = 0; i < count; i++)
            for (size_t q = 0; q < inner; q++, to += to_step) {
                const double *at = from + (o * rank * inner + q) * step, *factor = basis->numbers + i * rank;
                double sum[KT_CHUNK] = {0.0};
                for (size_t e = 0; e < rank; e++, at += inner * step)
                    for (int l = 0; l < KT_CHUNK; l++) sum[l] += factor[e] * at[l];
                memcpy(to, sum, sizeof sum);
            }
}

/* Numbers of what lies between after so many axes but the last; of a chunk of columns. */
static size_t between(const Basis *basis, int bases, int axis) {
    size_t words = KT_CHUNK;
    for (int k = 0; k < bases; k++) words *= (size_t)(k <= axis ? basis[k].count : basis[k].rank);
    return words;
}

size_t kt_expanding(const Basis *basis, int bases) {
    size_t words = 0;
    for (int a = 0; a + 1 < bases; a++) words += between(basis, bases, a);
    return words;
}

void kt_expand(const Basis *basis, int bases, const double *from, size_t step, double *to, size_t to_step, double *memory) {
    size_t outer = 1, inner = 1;
    for (int a = 0; a < bases; a++) inner *= (size_t)basis[a].rank;
    for (int a = 0; a < bases; a++) {
        const int last = a + 1 == bases;
        inner /= (size_t)basis[a].rank;
        expand_axis(basis + a, outer, inner, from, step, last ? to : memory, last ? to_step : KT_CHUNK);
        outer *= (size_t)basis[a].count;
        from = memory;
        step = KT_CHUNK;
        if (!last) memory += between(basis, bases, a);
    }
}

/* A block over one axis in powers of t, see reader.c. */
void kt_to_powers(const Grid *g, const Block *b, double *to) {
    const size_t p = (size_t)g->degree, spans = (size_t)g->count - p, columns = (size_t)b->columns;
    memset(to, 0, spans * columns * (p + 1) * sizeof *to);
    for (size_t span = 0; span < spans; span++)
        for (size_t chunk = 0; chunk < columns; chunk += KT_CHUNK)
            for (size_t q = 0; q <= p; q++, to += KT_CHUNK)
                for (size_t e = 0; e <= p; e++)
                    for (size_t l = 0; l < KT_CHUNK; l++)
                        to[l] += g->powers[(span * (p + 1) + q) * KT_WIDTH + e] * b->coefficients[(span + e) * b->stride[0] + chunk + l];
}
