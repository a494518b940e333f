/* What the files of the kernel share.  Names and equations are those of the NumPy reference in fmu_src. */
#ifndef KINETAB_INTERNAL_H
#define KINETAB_INTERNAL_H

#include "calls.h"

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
int kt_law_fits(const Law *law);
int kt_law_linear(const Law *law);
double kt_law_force(const Law *law, const double *parameters, double s, double sdot);
double kt_law_potential(const Law *law, const double *parameters, double s);
void kt_law_slopes(const Law *law, const double *parameters, double s, double sdot, double *along, double *rate);
int kt_check_laws(kt_instance *instance);

/* elements.c: springs, dampers and bushings where the tables were read last */
void kt_add_linear(kt_instance *instance);
void kt_forces(kt_instance *instance, int lap, const double *zd, int all);
void kt_slopes(kt_instance *instance);
void kt_find_steady(kt_instance *instance); /* unless it is known */
void kt_tangents(kt_instance *instance, int near, double *K, double *C);

/* motion.c: the equations of motion at the same place */
void kt_hold(kt_instance *instance, double tau, double *inputs);
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

/* quasistatic.c: z and zd get the deflections, u the rates of what has inertia; the tables are read there, without INERTIA */
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
