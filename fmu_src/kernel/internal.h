/* What the files of the kernel share.  Names and equations are those of the NumPy reference in fmu_src. */
#ifndef KINETAB_INTERNAL_H
#define KINETAB_INTERNAL_H

#include "kinetab.h"

#include <math.h>
#include <string.h>

#define KT_SCHEMA 5
#define KT_PLAN 3
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

/* What rows are needed for, see arrangement.py; of the motion, chunks with nothing but J are apart. */
enum { INERTIA, MOTION, ACROSS, MOMENTS, SHOWN, POSES, NEEDS };
enum { PARAMETER, INPUT, OUTPUT };                  /* causality */
enum { OK, FAILED, OUT_OF_TABLE, KT_ELSEWHERE };                  /* of functions inside the kernel; OUT_OF_TABLE is a failure too;
                                                       KT_ELSEWHERE: the way for small models does not serve */

typedef enum {
    SPRING, SPRING_TABLE, STOP_BELOW, STOP_BELOW_TABLE, STOP_ABOVE, STOP_ABOVE_TABLE, LINEAR, LINEAR_TABLE, CONSTANT,
    DAMPER, DAMPER_TABLE, LAW_KINDS
} LawKind;

typedef struct {
    int causality, fixed;
    double start, lower, upper;
    const char *name, *unit;
} Variable;

typedef struct { int place, reference; } Start;
typedef struct { double radius; const char *name, *unit; } Stiff;
typedef struct { int axis, first; double filter_time; } Drive;
typedef struct { LawKind kind; int count; const int *parameters; } Law;
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
    const double *turned[NEEDS]; /* the same cells by slopes; of blocks without axes */
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
    const Block *rest, *each; /* of J without deflections and with each, where twelve.h may read it itself, see arrange.c */
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

/* What matrices of a midpoint step of nine to twelve coordinates are made of, see twelve.h. */
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
    int n, axes, bent, inertia, end; /* rows of J, of J and loads; whether J changes with deflections */
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

/* The motion at one instant; arrays of nz. */
typedef struct { double *z, *zd, *u, *zdd, *force; } Instant;

struct kt_instance {
    Model model;
    const Hot *hot;
    /* everything that a later step needs, in one block of doubles: phase, time, chart, lap, age, six vectors, values */
    double *block;
    size_t block_size;
    double *values;         /* in the block: all variables by value reference */
    double *parameters;     /* of the model, gathered from values */
    double *inputs, *rates; /* as inputs.py lays them out; derivatives of inputs for the next step */
    double *now;            /* inputs at the time of an evaluation */
    double *before;         /* all input variables, while derivatives are found */
    int unchecked;          /* parameters may have changed */
    int lawful;             /* whether those used last were good */
    int ungathered;         /* parameters or inputs changed */
    int has_rates, warned;
    unsigned fresh;         /* groups of outputs that fit the rest */
    char *fresh_marker;     /* the same per marker */
    /* tables read last */
    int read_chart, bases_read, columns_read, rows_read; /* masks of needs */
    double *read_z;
    int *span;              /* per grid: first coefficient */
    double *basis;          /* per grid: values and slopes, (2, width) */
    double *column;         /* (1 + 3, most_columns) values and slopes of columns that are kept; quasi-static models only */
    double *V;              /* (1 + nz, rows) slots of the chart read */
    /* work */
    double *load;           /* on each row; only those of S, ports and measures are ever set */
    double *s, *sdot, *element_force, *measure_force, *measure_rate, *along, *rate;
    double *push, *stiffness, *damping; /* per measure, of the linear laws: f = push - stiffness s - damping sdot */
    double *gradients;      /* (measures, 3, wide) of the active ones: by themselves, times stiffness, times damping */
    double *matrix, *factor, *packed, *weights;
    Entries *entries;       /* of J, if twelve.h serves */
    Matrices12 *twelve;     /* the same */
    double served_step;     /* of the matrices that are there, zero if there are none */
    int served_in_twelve;   /* whether they are in `twelve`; otherwise in M, K, C and matrix */
    double *bent;           /* (bends, 2) slopes of laws when they were found */
    double *M, *K, *C;      /* (nz, wide): inertia, stiffness, damping of an implicit step; M and K also for other use */
    double *K0, *C0, *Q0;   /* (nz, wide), (nz, wide), (nz): of the steady measures */
    double *K1, *C1;        /* (nz, wide): of steady and bent ones, without deflection */
    int steady_known;       /* whether these fit the parameters */
    int wide;               /* nz rounded up */
    double *stage[10];      /* vectors of 2 wide */
    double *p, *w;          /* (stages, wide) of an implicit step */
    double *saved;          /* state before a step */
    Instant instant;
    int moments, across;    /* whether a moment acts, and gravity along axes where it was zero at first */
    int needs;              /* of the motion, a mask */
    int kind;               /* of the last failure */
    char message[KT_MESSAGE];
    void *arena, *mapping;
    size_t mapped;
};

/* hot.c */
const Hot *kt_hot(void);

/* arena.c: memory of an instance, freed at once */
void *kt_take(kt_instance *instance, size_t count, size_t size);
void kt_release(kt_instance *instance);

/* instance.c */
int kt_fail(kt_instance *instance, int kind, const char *format, ...);

/* plan.c: the model in a model file.  On failure a message, and the instance is to be released. */
int kt_read_model(kt_instance *instance, const unsigned char *blob, size_t size);

/* arrange.c: what is found in the blocks of a chart once; FAILED without memory */
int kt_arrange(kt_instance *instance, Chart *chart);

/* prepare.c: whether small.h serves the model, and what it needs; FAILED without memory */
int kt_prepare_small(kt_instance *instance);

/* tables.c: rows of a chart at z, those of `needs` (mask); they lie in instance->V */
int kt_find_span(const Grid *grid, double x, int hint);
int kt_read(kt_instance *instance, int chart, const double *z, int needs);
/* K (ns, nz) -= instance->load times their second derivatives, where the tables were read last */
void kt_add_curvature(kt_instance *instance, double *K);

/* laws.c */
double kt_law_force(const Law *law, const double *parameters, double s, double sdot);
double kt_law_potential(const Law *law, const double *parameters, double s);
void kt_law_slopes(const Law *law, const double *parameters, double s, double sdot, double *along, double *rate);
int kt_check_laws(kt_instance *instance);

/* motion.c: the equations of motion where the tables were read last */
void kt_hold(kt_instance *instance, double tau, double *inputs);
void kt_forces(kt_instance *instance, int lap, const double *zd, int all);
void kt_add_linear(kt_instance *instance);
void kt_slopes(kt_instance *instance);
void kt_find_steady(kt_instance *instance); /* unless it is known */
void kt_tangents(kt_instance *instance, int near, double *K, double *C);
void kt_generalized(kt_instance *instance, const double *zd, const double *inputs, double *Q);
void kt_moving_force(kt_instance *instance, int lap, const double *zd, const double *u, const double *inputs,
                     double *force);
int kt_solve_motion(kt_instance *instance, int n, const double *z, const double *zd, const double *force,
                    const double *inputs, double *zdd);
double kt_drive_acceleration(const Drive *drive, const double *z, const double *zd, const double *inputs);
int kt_acceleration(kt_instance *instance, const State *at, const double *inputs, double *zdd);
void kt_energies(kt_instance *instance, int lap, const double *u, double energy[3]);
const char *kt_name(const Model *model, int chart, int k);

/* ground.c */
void kt_frame_force(kt_instance *instance, const double *V, const double *Vd, const double *zd, const double *u,
                    double *force);
void kt_add_turning(kt_instance *instance, const double *V, double *C);
void kt_chassis_wrench(kt_instance *instance, const Instant *now, const double *inputs, double wrench[6]);

/* quasistatic.c: z and zd get the deflections, u the rates of what has inertia; the tables are read there, without J */
int kt_relax(kt_instance *instance, int chart, double *z, double *zd, double *u, const double *inputs);

/* linear.c */
int kt_lu_solve(double *a, int n, double *right, int columns);
double kt_smallest_eigenvalue(double *a, int n);

/* Where the next stage of the explicit methods is, as a share of the step, and the weight of a stage. */
static inline double kt_next(int stages, int stage) { return stages == 4 && stage == 2 ? 1.0 : 0.5; }
static inline double kt_weight(int stages, int stage) {
    return stages == 2 ? stage : stage == 0 || stage == 3 ? 1.0 / 6.0 : 1.0 / 3.0;
}

/* implicit.c */
int kt_implicit_step(kt_instance *instance, State *state, double tau, double h);

/* steps.c */
const double *kt_inputs_at(kt_instance *instance, double tau); /* after the start of the communication step */
int kt_advance(kt_instance *instance, State *state, double time, double step);
void kt_take_drives(const Model *model, const double *inputs, State *state);

/* outputs.c: brings the outputs of value references up to date */
int kt_refresh(kt_instance *instance, const uint32_t *references, size_t n);
int kt_refresh_all(kt_instance *instance);
size_t kt_output_count(const Model *model);
int kt_departure(kt_instance *instance, char *text, size_t room);

enum { AT_PHASE, AT_TIME, AT_CHART, AT_LAP, AT_AGE, AT_VECTORS, AT_Z = KT_CHUNK }; /* places in the block; vectors are padded */

static inline State kt_state(kt_instance *instance) {
    double *block = instance->block;
    double *z = block + AT_Z;
    int wide = instance->wide;
    State state = {(int)block[AT_CHART], (int)block[AT_LAP], z, z + wide, z + 2 * wide, z + 3 * wide,
                   block + AT_AGE, z + 4 * wide, z + 5 * wide};
    return state;
}

static inline int padded(int n) { return (n + KT_CHUNK - 1) / KT_CHUNK * KT_CHUNK; }

static inline double *slot(const kt_instance *instance, int k) {
    return instance->V + (size_t)k * instance->model.most_rows;
}

#endif
