/* A stream of 8-byte words in a model file, written by kernel_plan.py.
 *
 * Nothing in the file is trusted: every number that is used as a size or an index is checked before it is used.  The
 * stream is read to its end even after a fault, but a fault makes every later number zero.
 */
#ifndef KINETAB_STREAM_H
#define KINETAB_STREAM_H

#include "internal.h"

typedef struct {
    kt_instance *instance;
    const unsigned char *payload, *at;
    size_t payload_bytes, left; /* words of the stream */
    const char *fault;
} Reader;

static inline int64_t wrong(Reader *r, const char *what) {
    if (!r->fault) r->fault = what;
    return 0;
}

static inline uint64_t word(Reader *r) {
    uint64_t bits = 0;
    if (r->fault || r->left == 0) return (uint64_t)wrong(r, "it ends too early");
    memcpy(&bits, r->at, 8);
    r->at += 8;
    r->left--;
    return bits;
}

static inline int integer(Reader *r, int64_t least, int64_t most, const char *what) {
    int64_t number = (int64_t)word(r);
    if (r->fault) return 0;
    if (number < least || number > most) return (int)wrong(r, what);
    return (int)number;
}

/* A number of things, each of which takes at least one word of the stream. */
static inline int count(Reader *r, const char *what) { return integer(r, 0, r->left < 1 << 24 ? (int64_t)r->left : 1 << 24, what); }

static inline double number(Reader *r) {
    uint64_t bits = word(r);
    double value;
    memcpy(&value, &bits, 8);
    return value;
}

static inline double real(Reader *r, const char *what) {
    double value = number(r);
    return isfinite(value) ? value : (double)wrong(r, what);
}

static inline const char *text(Reader *r) {
    int64_t length = (int64_t)word(r);
    if (r->fault) return "";
    if (length < 0 || (uint64_t)length / 8 >= r->left || r->at[length] != 0) {
        wrong(r, "a text does not end");
        return "";
    }
    const char *found = (const char *)r->at;
    size_t words = (size_t)length / 8 + 1;
    r->at += 8 * words;
    r->left -= words;
    return found;
}

static inline const double *array(Reader *r, size_t expected, const char *what) {
    uint64_t offset = word(r), words = word(r);
    if (r->fault) return NULL;
    if (words != expected || offset % 8 || offset > r->payload_bytes || words > (r->payload_bytes - offset) / 8) {
        wrong(r, what);
        return NULL;
    }
    return (const double *)(const void *)(r->payload + offset);
}

static inline void *take(Reader *r, size_t n, size_t size) {
    void *memory = r->fault ? NULL : kt_take(r->instance, n ? n : 1, size);
    if (!memory) wrong(r, "there is not enough memory for it");
    return memory;
}

/* Returns from the caller after a fault. */
#define SOUND(r) do { if ((r)->fault) return; } while (0)

static inline const int *indices(Reader *r, int n, int limit, const char *what) {
    int *found = take(r, (size_t)n, sizeof *found);
    for (int i = 0; i < n && !r->fault; i++) found[i] = integer(r, 0, limit - 1, what);
    return found;
}

/* charts.c */
void kt_read_chart(Reader *r, Model *m, Chart *c);

#endif
