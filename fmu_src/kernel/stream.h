/* A stream of 8-byte words in a model file; kernel_fields.py says what is in it.
 *
 * Nothing in the file is trusted: every number that is used as a size or an index is checked before it is used.  After a
 * fault every later number is zero.
 */
#ifndef KINETAB_STREAM_H
#define KINETAB_STREAM_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    const unsigned char *payload, *at;
    size_t payload_bytes, left; /* words of the stream */
    char *memory;               /* what is read goes here, */
    size_t room;                /* as long as there is room */
    size_t least;               /* that there ever was: some memory is given back */
    int full;
    const char *fault;
} Reader;

static inline int64_t kt_wrong(Reader *r, const char *what) {
    if (!r->fault) r->fault = what;
    return 0;
}

static inline uint64_t kt_word(Reader *r) {
    uint64_t bits = 0;
    if (r->fault || r->left == 0) return (uint64_t)kt_wrong(r, "it ends too early");
    memcpy(&bits, r->at, 8);
    r->at += 8;
    r->left--;
    return bits;
}

static inline int kt_int(Reader *r, int64_t least, int64_t most, const char *what) {
    int64_t number = (int64_t)kt_word(r);
    if (r->fault) return 0;
    if (number < least || number > most) return (int)kt_wrong(r, what);
    return (int)number;
}

/* A number of things, each of which takes at least one word of the stream. */
static inline int kt_length(Reader *r, const char *what) {
    return kt_int(r, 0, r->left < 1 << 24 ? (int64_t)r->left : 1 << 24, what);
}

static inline double kt_number(Reader *r) {
    uint64_t bits = kt_word(r);
    double value;
    memcpy(&value, &bits, 8);
    return value;
}

static inline double kt_real(Reader *r, const char *what) {
    double value = kt_number(r);
    return isfinite(value) ? value : (double)kt_wrong(r, what);
}

static inline const char *kt_text(Reader *r) {
    int64_t length = (int64_t)kt_word(r);
    if (r->fault) return "";
    if (length < 0 || (uint64_t)length / 8 >= r->left || r->at[length] != 0) {
        kt_wrong(r, "a text does not end");
        return "";
    }
    const char *found = (const char *)r->at;
    size_t words = (size_t)length / 8 + 1;
    r->at += 8 * words;
    r->left -= words;
    return found;
}

static inline const double *kt_table(Reader *r, size_t expected, const char *what) {
    uint64_t offset = kt_word(r), words = kt_word(r);
    if (r->fault) return NULL;
    if (words != expected || offset % 8 || offset > r->payload_bytes || words > (r->payload_bytes - offset) / 8) {
        kt_wrong(r, what);
        return NULL;
    }
    return (const double *)(const void *)(r->payload + offset);
}

/* Memory, all zero, aligned for vectors. */
static inline void *kt_take(Reader *r, size_t n, size_t size) {
    size_t bytes = n > SIZE_MAX / 2 / size ? SIZE_MAX / 2 : (n * size + 63) / 64 * 64;
    if (r->fault) return NULL;
    if (bytes > r->room) {
        r->full = 1;
        kt_wrong(r, "there is not enough memory for it");
        return NULL;
    }
    char *found = r->memory;
    memset(found, 0, bytes);
    r->memory += bytes;
    r->room -= bytes;
    if (r->room < r->least) r->least = r->room;
    return found;
}

static inline const int *kt_ints(Reader *r, int n, int64_t least, int64_t most, const char *what) {
    int *found = kt_take(r, n > 0 ? (size_t)n : 1, sizeof *found);
    for (int i = 0; i < n && !r->fault; i++) found[i] = kt_int(r, least, most, what);
    return found;
}

/* How many numbers there are in lists of one, of two, of three and so on, of each so many; none after a fault. */
static inline int kt_factors(const int *times, int most) {
    int found = 0;
    for (int i = 0; i < most && times; i++) found += (i + 1) * times[i];
    return found;
}

static inline const double *kt_reals(Reader *r, int n, const char *what) {
    double *found = kt_take(r, n > 0 ? (size_t)n : 1, sizeof *found);
    for (int i = 0; i < n && !r->fault; i++) found[i] = kt_real(r, what);
    return found;
}

#endif
