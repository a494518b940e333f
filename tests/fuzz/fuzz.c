/* A fuzzer for the kernel's reader of model files, and for what runs on a file that it has accepted.
 *
 *     fuzz SECONDS FILE...          our own driver: random changes of the files, no other tool needed
 *     clang -fsanitize=fuzzer ...   with -DLIBFUZZER: the same test and the same changes, led by coverage
 *
 * The checksum is made right before a file is tried, so that what lies behind it is reached.  What goes wrong is left to
 * AddressSanitizer and UBSan; the file that did it is kept as crash.kinetab in the current folder.
 */
#define _POSIX_C_SOURCE 200809L

#include "kinetab.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PRELUDE 80
#define SUBSTEPS 3
#define STEPS 6
#define LONGEST 10 /* [s] a file may take */
#define MOST_CHANGES 6

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);

static uint64_t word_at(const uint8_t *at) {
    uint64_t word;
    memcpy(&word, at, 8);
    return word;
}

static void put_word(uint8_t *at, uint64_t word) { memcpy(at, &word, 8); }

/* Start of the payload; 0 if the file is too short for one. */
static size_t payload_of(const uint8_t *data, size_t size) {
    if (size < PRELUDE || word_at(data + 16) > size - PRELUDE) return 0;
    size_t start = (PRELUDE + (size_t)word_at(data + 16) + 63) / 64 * 64;
    return start < size ? start : 0;
}

static void correct_checksum(uint8_t *data, size_t size) {
    size_t start = payload_of(data, size);
    uint64_t factor = 0x9E3779B97F4A7C15u, step = 2 * factor, sum = 0;
    if (!start) return;
    if (start <= size) sum = (size - start) / 8 * factor;
    for (size_t at = start; at + 8 <= size; at += 8, factor += step) sum += word_at(data + at) * factor;
    put_word(data + 72, sum);
}

/* --- what is tried ------------------------------------------------------------------------------------------------ */

static uint64_t runs, opened, stepped; /* files that were tried, that were accepted, and that got through all steps */

static void report(void) {
    printf("%llu changed files tried, %llu accepted (%.0f %%), %llu got through all steps\n", (unsigned long long)runs,
           (unsigned long long)opened, runs ? 100.0 * (double)opened / (double)runs : 0.0, (unsigned long long)stepped);
}

/* Pseudo-random numbers that depend on the file only. */
static uint64_t next(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Size of a communication step of a few internal steps, as short as these may have become since the start was known. */
static double some_steps(kt_instance *k) {
    static const uint32_t reference = 0; /* solver.step */
    double longest = 0.0;
    kt_get(k, &reference, 1, &longest);
    return longest > 0.0 && longest < 1.0 ? SUBSTEPS * longest : 1e-3;
}

static void run(kt_instance *k, uint64_t random) {
    static const double sizes[] = {0.0, 1.0, -1.0, 1e-3, 1e3, -1e6, 1e12, 1e300};
    size_t n = kt_count(k), bytes = kt_state_size(k);
    uint32_t *all = malloc((n + 1) * sizeof *all);
    double *values = malloc((n + 1) * sizeof *values), *seed = calloc(n + 1, sizeof *seed);
    unsigned char *saved = malloc(bytes), *other = malloc(bytes);
    if (!all || !values || !seed || !saved || !other) abort();
    for (size_t i = 0; i < n; i++) all[i] = (uint32_t)i;
    kt_get(k, all, n, values); /* before initialization */
    kt_save(k, other);
    int fine = kt_setup(k, 0.0) == KT_OK && kt_enter_initialization(k) == KT_OK;
    for (int i = 0; i < 4 && n; i++) {
        uint32_t reference = (uint32_t)(next(&random) % n);
        double value = sizes[next(&random) % 8];
        if (reference) kt_set(k, &reference, 1, &value); /* one by one: most are refused, and that is fine */
    }
    fine = fine && kt_exit_initialization(k) <= KT_WARNING;
    const double step = some_steps(k);
    kt_save(k, saved);
    for (int i = 0; i < STEPS && fine; i++) {
        uint32_t input = (uint32_t)(next(&random) % n);
        double value = sizes[next(&random) % 6];
        if (input && random % 3 == 0) kt_set(k, &input, 1, &value);
        if (random % 5 == 0) kt_set_input_rates(k, &input, 1, &value);
        fine = kt_step(k, kt_time(k), step) <= KT_WARNING;
        if (random % 2) kt_get(k, all, n, values);
    }
    stepped += (uint64_t)fine;
    kt_get(k, all, n, values);
    for (size_t i = 0; i < n && i < 4; i++) { /* outputs are last; inputs somewhere */
        uint32_t unknown = (uint32_t)(n - 1 - i), known = (uint32_t)(next(&random) % n);
        seed[0] = 1.0;
        kt_directional(k, &unknown, 1, &known, 1, seed, values);
    }
    kt_restore(k, saved, bytes);
    kt_step(k, kt_time(k), step);
    for (int i = 0; i < 3; i++) { /* a damaged state */
        size_t at = bytes / 8 > 2 ? 16 + 8 * (next(&random) % (bytes / 8 - 2)) : 0;
        double value = random % 3 ? sizes[random % 8] : NAN;
        memcpy(saved + at, &value, 8);
        if (at < 16 || kt_restore(k, saved, bytes) != KT_OK) continue;
        kt_get(k, all + 1, n - 1, values);
        kt_get(k, all, n, values);
        kt_step(k, kt_time(k), some_steps(k));
    }
    kt_restore(k, other, bytes);
    kt_reset(k);
    kt_get(k, all, n, values);
    kt_terminate(k);
    free(all), free(values), free(seed), free(saved), free(other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char message[400];
    uint64_t random = 88172645463325252u;
#ifdef LIBFUZZER
    if (!runs) atexit(report);
#endif
    runs++;
    uint8_t *copy = malloc(size ? size : 1); /* as large as the file: reading beyond it shows */
    if (!copy) abort();
    memcpy(copy, data, size);
    correct_checksum(copy, size);
    for (size_t i = 0; i + 8 <= size; i += 8) random = (random ^ word_at(copy + i)) * 0x9E3779B97F4A7C15u;
    random |= 1;
    kt_instance *k = kt_create(copy, size, message, sizeof message);
    size_t start = payload_of(copy, size);
    if (!k && start && (size - start) % 8 == 0 && strstr(message, "checksum")) abort(); /* ours is not the reader's */
    if (k) {
        opened++;
        run(k, random);
        kt_free(k);
    }
    free(copy);
    return 0;
}

/* --- changes ------------------------------------------------------------------------------------------------------ */

static uint64_t odd_word(uint64_t *random, uint64_t old, uint64_t other) {
    static const double doubles[] = {0.0, -0.0, 1.0, -1.0, 1e-300, 1e300, -1e9, INFINITY, NAN, 1e-9};
    uint64_t bits;
    switch (next(random) % 9) {
    case 0: return old + 1;
    case 1: return old - 1;
    case 2: return next(random) % 20;
    case 3: return (uint64_t)0 - next(random) % 20;
    case 4: return (uint64_t)1 << next(random) % 64;
    case 5: return other;
    case 6: return old ^ (uint64_t)1 << next(random) % 64;
    case 7: return next(random) % 2000;
    default: memcpy(&bits, doubles + next(random) % 10, 8); return bits;
    }
}

/* Some words of the plan, or of anything else, are changed; now and then the file gets shorter. */
static size_t change(uint8_t *data, size_t size, uint64_t *random) {
    size_t start = payload_of(data, size), words = start ? (size - start) / 8 : 0;
    uint64_t plan = size >= PRELUDE ? word_at(data + 56) / 8 : 0, length = size >= PRELUDE ? word_at(data + 64) : 0;
    if (plan > words) plan = 0;
    if (length > words - plan) length = words - plan;
    size_t changes = 1 + next(random) % MOST_CHANGES;
    for (size_t i = 0; i < changes && size >= 8; i++) {
        uint64_t kind = next(random) % 20, other = word_at(data + 8 * (next(random) % (size / 8)));
        uint8_t *at = data + 8 * (next(random) % (size / 8));
        if (kind < 15 && length) at = data + start + 8 * (plan + next(random) % length);
        if (kind == 19 && size >= PRELUDE) at = data + 8 * (next(random) % (PRELUDE / 8));
        put_word(at, odd_word(random, word_at(at), other));
    }
    if (next(random) % 50 == 0) size = next(random) % (size + 1);
    if (next(random) % 50 == 0 && start && start < size) size -= (size - start) % 8;
    return size;
}

#ifdef LIBFUZZER

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed) {
    uint64_t random = seed * (uint64_t)0x9E3779B97F4A7C15u | 1;
    if (next(&random) % 4 == 0) return LLVMFuzzerMutate(data, size, room);
    return change(data, size, &random);
}

#else

void __sanitizer_set_death_callback(void (*callback)(void));

static const uint8_t *tried;
static size_t tried_size;

static void keep(void) {
    FILE *file = fopen("crash.kinetab", "wb");
    if (file) fwrite(tried, 1, tried_size, file), fclose(file);
    fprintf(stderr, "the file is kept as crash.kinetab\n");
}

static void too_long(int number) {
    (void)number;
    fprintf(stderr, "a file took longer than %d s\n", LONGEST);
    keep();
    _exit(1);
}

static uint8_t *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *data = malloc(*size + 1);
    if (data) *size = fread(data, 1, *size, file);
    fclose(file);
    return data;
}

int main(int count, char **words) {
    if (count < 3) return fprintf(stderr, "fuzz SECONDS FILE...\n"), 2;
    int files = count - 2;
    uint8_t **data = calloc((size_t)files, sizeof *data);
    size_t *sizes = calloc((size_t)files, sizeof *sizes), largest = 0;
    if (!data || !sizes) return 1;
    __sanitizer_set_death_callback(keep);
    signal(SIGALRM, too_long);
    for (int i = 0; i < files; i++) {
        data[i] = read_file(words[2 + i], sizes + i);
        if (!data[i]) return fprintf(stderr, "cannot read %s\n", words[2 + i]), 1;
        tried = data[i], tried_size = sizes[i];
        LLVMFuzzerTestOneInput(data[i], sizes[i]);
        if (opened != (uint64_t)i + 1) fprintf(stderr, "%s is not a model file of this version\n", words[2 + i]);
        largest = sizes[i] > largest ? sizes[i] : largest;
    }
    double seconds = strtod(words[1], NULL);
    uint8_t *changed = malloc(largest + 1);
    uint64_t random = (uint64_t)time(NULL) * 0x9E3779B97F4A7C15u | 1;
    printf("%d files, first random number %llx\n", files, (unsigned long long)random);
    runs = opened = stepped = 0;
    for (time_t begin = time(NULL); changed && difftime(time(NULL), begin) < seconds;) {
        size_t i = next(&random) % (size_t)files;
        memcpy(changed, data[i], sizes[i]);
        tried = changed, tried_size = change(changed, sizes[i], &random);
        alarm(LONGEST);
        LLVMFuzzerTestOneInput(changed, tried_size);
    }
    report();
    puts("nothing found");
    for (int i = 0; i < files; i++) free(data[i]);
    free(data), free(sizes), free(changed);
    return 0;
}

#endif
