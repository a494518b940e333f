/* What takes most of the time, and what it is called with: functions for each kind of processor, see hot.c. */
#ifndef KINETAB_CALLS_H
#define KINETAB_CALLS_H

#include "model.h"

/* Of a midpoint rule: zdd over the last step and over the one before; how many steps its matrices have served, and where
 * they were found. */
typedef struct { int chart, lap; double *z, *zd, *zdd, *zdd_before, *age, *z_then, *zd_then; } State;

/* How a block is read. */
typedef struct {
    const Block *block;
    const double *from, *N[KT_MOST_AXES], *D[KT_MOST_AXES]; /* coefficients, basis functions, their slopes */
    const double *d;                                         /* deflections */
    double *V, *keep;          /* slots; place of columns to be kept, or NULL */
    size_t rows, keep_stride;  /* between slots, and between kept values and slopes */
    int axis[KT_MOST_AXES];    /* of the block's axes */
    int degree, nf, ns, kept;  /* kept: columns were kept before */
} Reading;

typedef struct { /* the stages of an implicit step, see implicit.c; vectors and rows of matrices are padded with zeros */
    int n, wide;
    double g;                                             /* gamma h */
    double before[KT_STAGES][KT_STAGES];                  /* c / h */
    const double *M, *K, *inverse;                        /* transposed, of the matrix */
    double *zd, *force, *x, *y, *right, *p, *w; /* where the stages start, M zdd; zd + P, W; p and w of all stages */
} Stages;

#define KT_POWER 0.25 /* gamma of midpoint.py */
typedef struct { /* of a midpoint step, see midpoint.py; vectors and rows of matrices are padded with zeros */
    int n, wide;
    double h;
    const double *M, *C, *K, *inverse; /* transposed; of the matrix */
    double *force, *z, *zd, *zdd;      /* F; the state */
} Powers;

typedef struct { /* stiffness and damping of measures, see kt_tangents */
    int n, wide, count;           /* count: of measures */
    size_t rows;
    const double *slots, *along, *rate, *K0, *C0;
    double *work, *K, *C;         /* work: (count rounded up, 3, wide) */
} Squares;

/* Eight entries of an upper triangle by rows: rows, columns, and a half on the diagonal, 0 behind the last. */
typedef struct { long long row[KT_CHUNK], column[KT_CHUNK]; double half[KT_CHUNK]; } Entries;

/* What matrices of a midpoint step of nine to twelve coordinates are made of, see twelve_step.h. */
typedef struct {
    int n, count;      /* count: of measures */
    size_t rows;
    double g, sign;    /* sign: of stiffness and damping */
    const double *J, *slots, *stiffness, *damping, *K1, *C1;
} Twelve;

/* Symmetric matrices whose rows are eight and four numbers: M - g^2 K, K, g C and minus the inverse of M + g C + g^2 K. */
typedef struct { double a[12][8], b[12][4]; } Matrix12;
typedef struct { Matrix12 L, K, C, A; double J[80]; } Matrices12; /* J: M as it was */

/* A block over one axis where that is. */
typedef struct { const double *from, *N, *D; size_t stride; int degree; } Line;

typedef struct { /* what accelerates as many coordinates */
    int n, axes, bent;  /* bent: whether J changes with deflections */
    int inertia, end;   /* rows of J, of J and loads */
    size_t rows;
    const Entries *entries;
    const double *slots, *load, *z, *zd, *u, *Q0, *K0, *C0; /* Q0: NULL if no measure is steady */
    int unread;      /* chunks of J that are still to be read: */
    Line rest, each; /* what they are without deflections, and over each */
    double *J, *rate, *force;
} Force12;

typedef struct { /* see reading.h and hot.h */
    void (*basis)(const double *powers, int p, int w, double t, double per_length, double *values, double *slopes);
    void (*read_values)(const Reading *reading, const Chunk *chunk, int chunks);
    void (*read_all)(const Reading *reading, const Chunk *chunk, int chunks); /* with slopes */
    void (*combine)(const double *slots, size_t rows, const double *x, int length, int n, double *out);
    void (*pull)(const double *slots, size_t rows, const double *zd, int n, int measures, const double *s,
                 const double *push, const double *stiffness, const double *damping, double *rate, double *force);
    void (*dots)(const double *slots, size_t rows, const double *load, int length, int n, double *out);
    void (*quadratic)(const double *slots, size_t rows, const double *zd, const double *u, int n, int w, double *rate,
                      double *weights, double *work, double *force);
    void (*unpack)(const double *packed, int n, int w, double *to);
    void (*momenta)(const double *slots, size_t rows, const double *zd, int n, int w, double *out);
    void (*squares)(const Squares *squares);
    void (*add_matrices)(const double *M, const double *C, const double *K, double g, int size, double *out);
    int (*invert)(double *a, int n, int w, double *bad);
    void (*multiply)(const double *a, int n, int w, double factor, const double *x, double *y);
    void (*stage)(const Stages *stages, int i);
    void (*powers)(const Powers *powers);
    int (*matrices_12)(const Twelve *twelve, Matrices12 *to); /* or NULL, as the next three */
    int (*midpoint_12)(const Matrices12 *matrices, const double *J, int n, double h, const double *force, State *state);
    void (*force_12)(const Force12 *force);
    void (*middle_12)(const State *state, int n, double h, State *to);
    int (*small_step[KT_MOST_AXES])(kt_instance *instance, State *state, double h); /* see small.h */
} Hot;

#endif
