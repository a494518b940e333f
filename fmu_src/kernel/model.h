/* A model as the kernel has it in memory, read from a model file by plan.c and charts.c. */
#ifndef KINETAB_MODEL_H
#define KINETAB_MODEL_H

#include "kinetab.h"
#include "laws_list.h"

#include <math.h>
#include <string.h>

#define KT_SCHEMA 6
#define KT_PLAN 4
#define KT_MOST_AXES 3
#define KT_MOST_DEGREE 9
#define KT_MOST_Z 60 /* coordinates, axes and stiff ones */
#define KT_TAG 16
#define KT_MESSAGE 1024
#define KT_MOST_GRIDS 32 /* of small models */
#define KT_CHUNK 8 /* rows that are treated together */
#define KT_FAR 0.01
#define KT_FAR_STIFF 0.5
#define KT_VECTORS 6 /* of a state */
#define KT_STAGES 5 /* of an implicit step */

/* What rows are needed for, see arrangement.py.  Of its MOTION, chunks with nothing but J, or nothing but steady measures,
 * are apart. */
enum { INERTIA, MOTION, STEADY, ACROSS, MOMENTS, SHOWN, POSES, NEEDS };
enum { PARAMETER, INPUT, OUTPUT };                  /* causality */
enum { OK, FAILED, OUT_OF_TABLE, KT_ELSEWHERE };                  /* of functions inside the kernel; OUT_OF_TABLE is a failure too;
                                                       KT_ELSEWHERE: the way for small models does not serve */

#define NAME(name, ...) ARGUMENT_##name,
typedef enum { KT_ARGUMENTS(NAME) ARGUMENTS } Argument;
#undef NAME
#define NAME(name, ...) SIDE_##name,
typedef enum { KT_SIDES(NAME) SIDES } Side;
#undef NAME
#define NAME(name, ...) CURVE_##name,
typedef enum { KT_CURVES(NAME) CURVES } Curve;
#undef NAME

typedef struct {
    int causality, fixed;
    double start, lower, upper;
    const char *name, *unit;
} Variable;

typedef struct { int place, reference; } Start;
typedef struct { double radius; const char *name, *unit; } Stiff;
typedef struct { int axis, first; double filter_time; } Drive;
typedef struct { /* see law_parts.py */
    Argument argument;
    Side side;
    Curve curve;
    int reference, count; /* a parameter or -1; of the parameters of the curve */
    const int *parameters;
} Law;
typedef struct { int measure, laws; double lap; const char *name; const Law *law; } Element;
typedef struct { int a, b, stiffness, damping; } Coupling;
typedef struct { int count; const int *elements; } Bushing;
typedef struct { int has_spin; double spin[3], design[3]; } Marker;

typedef struct { const char *name, *unit; double lower, upper; int periodic, linear; } Axis;

typedef struct { /* knots that blocks share, along one axis */
    int axis, degree, count; /* of coefficients */
    int needs;             /* of blocks over it, a mask */
    const double *knots;   /* (count + degree + 1) */
    const double *powers;  /* (count - degree, degree + 1, width): the basis of each span in powers of x - its start */
    const double *per_length; /* (count - degree) one over the length of each span */
    int basis_needed;      /* by a block that has no powers of its own */
} Grid;

/* Eight rows, and the cells of a block that are added to them: without deflection, with one, with two; see arrangement.py.
 * In blocks without axes also by the deflections along which they have slopes, see arrange.c. */
typedef struct {
    int row, first, clear, plain, linear, quadratic, along;
    const unsigned char *factors, *turned;
} Chunk;

typedef struct {
    int nb, grid[KT_MOST_AXES];
    size_t stride[KT_MOST_AXES]; /* between neighbours along each axis */
    size_t columns, at;          /* of the block; of its first column among all of the chart */
    const double *coefficients;
    const double *powers; /* of small models, (spans, chunks, degree + 1, 8): the columns themselves in powers */
    int chunks[NEEDS], begin[NEEDS]; /* of each need; its first column */
    const Chunk *chunk[NEEDS];
    const double *turned[NEEDS]; /* the same cells by slopes; of blocks without axes, where slopes are wanted */
} Block;

/* A chunk of a block of a small model: constant and slope over one axis, powers over one axis, or coefficients over two. */
typedef enum { LINE, POWERS, PLANE } PieceKind;
typedef struct {
    const double *table;
    size_t between, stride[2]; /* spans of powers; coefficients along each axis */
    int grid[2], axis;
    PieceKind kind;
} Piece;

typedef struct { int row, i, j, axis, need, clear; double slope, reference; } Slope;
typedef struct { int axis, upper, chart, lap; double at; const double *offset; } Border;
typedef struct { int r, R, A; } MarkerRows;

typedef struct {
    Axis axis[KT_MOST_AXES];
    int degree, width; /* the highest of all grids; that plus 1 rounded up */
    int end[NEEDS];    /* of the rows of each need */
    int J, S[3], loads, s, N, I, c, G; /* first rows, all three of S */
    const MarkerRows *marker;
    const int *border_rows;
    int grids, blocks, slopes, borders;
    const Grid *grid;
    const Block *block;
    const Slope *slope;
    const Border *border;
    size_t columns; /* of all blocks */
    const Block *rest, *each; /* of J without deflections and with each, where force_12 may read it itself, see arrange.c */
} Chart;

typedef struct {
    int nf, ns, nz, quasistatic, moving, charts;
    int stages; /* of the explicit method: 4 is Runge's, 2 the midpoint rule; which implicit method goes with it too */
    const char *guid;
    unsigned char tag[KT_TAG];
    double mass;
    int variables, first_input, inputs_at, outputs_at;
    const Variable *variable;
    int starts;
    const Start *start;
    const double *start_numbers; /* (2 nz) */
    int parameters, gravity[3];
    const int *parameter; /* value references */
    const double *lap;    /* (nf) of the coordinates */
    const Stiff *stiff;
    double far[KT_MOST_Z]; /* where matrices of a midpoint rule do not serve any more, see midpoint.py; one chart */
    int inputs, forced;
    const int *forced_axis;
    int drives, twist, twist_rate, loads;
    const Drive *drive;
    int elements, measures, couplings, bushings, markers, ports;
    const Element *element;
    const Coupling *coupling;
    const Bushing *bushing;
    const Marker *marker;
    const int *port; /* markers */
    const Chart *chart;
    size_t most_columns, most_rows, most_grids;
    int varying, active, actives; /* measures by steadiness.py: varying ones, and bent ones too; elements of both */
    int steady;                   /* the other measures */
    int bent_inertia;             /* whether J changes with deflections */
    const int *active_element;
    int bends;              /* laws of active elements that are not linear */
    const struct Bend { int measure; const Law *law; } *bend;
    int can_depart; /* from where the tables were measured, without an error */
    int small;      /* whether small.h serves */
    const double *plane; /* of a small model with two coordinates and up to 16 rows, see small.h: its constants, and */
    const Piece *piece[2]; /* what is added to each chunk of rows, */
    int pieces[2];         /* and how many */
    const double *line; /* of a small model with one coordinate and one grid: all its rows in powers, see small.h */
    int loads_rows; /* rows that loads act on: S, ports, measures that are not steady, in this order from `loads` on */
} Model;

/* Whether slopes of the rows of a need are wanted. */
static inline int sloped(const Model *m, int need) {
    return need <= ACROSS || need == SHOWN || (need == MOMENTS && m->quasistatic);
}

#endif
