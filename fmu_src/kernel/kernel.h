/* What the files of the kernel share.  Names and equations are those of the NumPy reference in numpy_runtime.
 *
 * The kernel proper is instance.c, step_end.c, table_error.c, pace.c, contacts.c, statics.c, track.c, reader.c, factors.c,
 * designs.c, laws.c, programs.c, devices.c,
 * linear.c, any.c and step.c.  It works in memory that it is given and needs nothing but mathematics and string functions;
 * open.c, messages.c and fmi2.c bring it to a host.
 */
#ifndef KINETAB_KERNEL_H
#define KINETAB_KERNEL_H

#include "kinetab.h"
#include "fields.h"

enum { OK, FAILED, OUT_OF_TABLE, NO_INERTIA }; /* of functions inside the kernel; the last two are failures too */

/* What a formula does at a time, see programs.c: of values by number; for jumps `to` is a move.  Then the rows of their slopes,
 * by the place of their first number. */
typedef struct Move { int op, to, a, b, row, row_a, row_b; } Move;

/* A message before it is one: a format, and what goes into it in its order. */
typedef struct {
    int kind;
    const char *format;
    const char *text[6];
    double number[8];
    const Variable *unused; /* a start rate that is not used, which is said besides */
    double unused_rate;
    int axis;        /* OUT_OF_TABLE: that of the coordinate whose value is the first number */
    enum { ANYTIME, AT, BETWEEN } when; /* whether it belongs to a time, or a step */
    double from, to;
} Fault;

/* A state; vectors of nz. */
typedef struct {
    int chart, lap;
    double *z, *zd;
    double *zdd, *zdd_before; /* accelerations over the last step and the one before, where a midpoint rule has left them; */
    double *age, *z_then, *zd_then; /* its matrices: how many steps they have served, and where they were found */
    double *x, *u, *mean; /* of devices: states; unknowns; mean rates of states over the last step */
} State;

/* Rows of a chart at one place. */
typedef struct {
    int chart;          /* -1 if there are none */
    int sloped;         /* with their slopes: bits of the motion, across and moments */
    double *z;          /* (nz) */
    double *value;      /* (rows) */
    double *rate;       /* (rows) with the rates last used */
    double *slope;      /* (nz, rows) */
} RowSet;

typedef enum { ACT, SLOPES, VALUES, PLAIN } Mode; /* the rule of rows.h; slopes to be kept; values and rates; values alone */

/* What is done with rows that are read. */
typedef struct {
    double *value, *rate, *slope;
    const double *zd, *load, *stiffness, *damping;
    const uint64_t *wanted; /* VALUES and PLAIN: which chunks */
    void *part;             /* ACT: (nz) vectors, sums over the lanes of force_k */
    size_t rows;            /* between slopes */
} Work;

typedef struct kt_instance Kernel;

/* One family of processors: step.c, compiled for it. */
typedef struct {
    int (*fits)(const Model *m);         /* whether the model has the sizes that it was compiled for */
    int (*run)(Kernel *k, State *state, double time, double tau, double h, int count); /* steps */
    int (*start)(Kernel *k);             /* the start state in equilibrium, where deflections are quasi-static */
    int (*still_force)(Kernel *k, const State *state, double *force); /* (nz) on a mechanism that is at rest in its ground */
    int (*settled)(Kernel *k, State *state); /* into the chart that it belongs to */
    int (*show)(Kernel *k, const uint32_t *references, size_t n, double *values);
    double (*fastest)(Kernel *k, const State *state, double limit); /* [1/s] of the mechanism by itself, for explicit steps */
} Hot;

struct kt_instance {
    const Model *m;
    const Hot *hot;
    /* everything that a later step needs, in one block of doubles: phase, time, chart, lap, age, error of the last step,
     * pace, six vectors, memory of devices, derivatives of inputs, values */
    double *block;
    size_t block_size;
    double *memory_of_devices; /* in the block: states, unknowns, mean rates */
    double *rates;          /* in the block: derivatives of inputs for the next step */
    double *values;         /* in the block: all variables by value reference */
    double *saved;          /* state before a step */
    double *before_step, *after_step; /* the same of an internal one whose error is measured */
    double *before_border;  /* the same of one that crosses borders of cams, and of what is left of it behind each */
    size_t state_numbers;   /* of each of these, from the age on */
    double sensible;        /* [s] longest step that made sense at the start */
    double *parameters;     /* of the model, gathered from values */
    double *design;         /* (designs) parameters that its tables are for */
    double *inputs, *now;   /* as inputs.py lays them out; at the time of an evaluation */
    double *before;         /* all input variables, while derivatives are found */
    int unchecked, lawful, ungathered, has_rates, warned;
    int moments, across;    /* whether a moment or a wheel load acts, and gravity along axes where it was zero at first */
    /* rows, and what acts on them: load - stiffness value - damping rate */
    RowSet rows[2], instant[1]; /* of the stages of a step; of the place where outputs are, at which the next step begins */
    int *span;              /* per chart and grid: where it was found last */
    double *weights;        /* of the corners of one block after the other */
    double *push;           /* (rows) of linear laws */
    double *load, *stiffness, *damping; /* (rows) */
    int pushed_lap, pushed_chart; /* for which push, stiffness and damping are, */
    int loaded;                   /* and load but on rows of J, whose loads change with rates */
    /* implicit steps */
    double *M, *C, *K, *A;  /* (nz, wide) transposed: inertia, damping, stiffness; inverse of the matrix of a step */
    double *K1, *C1;        /* (nz, wide) of measures that do not vary */
    double *M_then;         /* packed: inertia that the matrices were found with */
    double *bend_slopes;    /* (bends, 2) slopes of laws when they were found */
    int fixed_known;        /* whether K1 and C1 fit the parameters */
    double served_step;     /* of the matrices that are there, zero if there are none */
    /* devices, one after the other */
    double *device_values;  /* all that formulas read and give; measures and their rates come here from rows */
    double *device_x, *device_u; /* states and unknowns where they are evaluated */
    double *device_force, *device_rate; /* what they do: forces on measures, rates of states */
    double *device_F;       /* slopes of these along s, sdot and x, of each device in turn: forces, rates */
    double *device_slopes, *newton; /* of devices.c */
    int sloped, idle;       /* whether slopes are asked for; whether they are left out */
    struct { double *ds, *Y, *N, *Z, *T, *left, *S, *E, *H; } woven; /* of implicit steps, see woven.h */
    double *pressing_weights, *follow; /* (load_rows), (nz, connections) of loads that devices read, see loads.h */
    uint64_t *pressing_rows; /* chunks of these rows */
    double *swift;          /* (connections + 2, 2 connections + states) of swift.h */
    double *device_work;    /* (KT_DEVICE_WORK, connections + states) */
    double *device_memory;  /* states, unknowns and mean rates before a step that may be taken back */
    /* outputs */
    unsigned fresh;         /* what is known of this instant */
    uint64_t *wanted, *shown, *every; /* chunks of rows */
    double *z, *zd, *u, *zdd, *force; /* (nz) at this instant */
    double energy[3], wrench[6];
    double *load_weights;   /* (load_rows) */
    double *work;           /* (nz, wide) for whoever needs it */
    double *error_functions; /* of table_error.c: functions of axes, deflections over radii, their products */
    Fault fault, loss;      /* the last one; that a follower leaves its cam, */
    int lost;               /* if it does, until that is said */
    char message[1024];
    void *memory[3]; /* of open.c: the model, the instance, the bytes of a file */
};

/* instance.c */
int kt_fail(Kernel *k, int kind, const char *format, ...);
size_t kt_instance_bytes(const Model *m);
Kernel *kt_make(const Model *m, void *memory); /* all zero, aligned for vectors */
State kt_state(Kernel *k);

/* reader.c: a model from the bytes of its file, in memory that it is given; *used tells how much of
 * it, or 0 if more would do */
const Model *kt_read_model(const void *blob, size_t size, void *memory, size_t room, size_t *used, Fault *fault);

void kt_tag_of(const Model *m, unsigned char *tag);

/* factors.c: a chunk of columns from a core whose numbers lie `step` apart, with memory for so many numbers; a block in powers */
size_t kt_expanding(const Basis *basis, int bases);
void kt_expand(const Basis *basis, int bases, const double *from, size_t step, double *to, size_t to_step, double *memory);
void kt_to_powers(const Grid *g, const Block *b, double *to);

/* designs.c: checks what design parameters change; the model at other values of them */
void kt_finish_designs(Reader *r, Model *m);
void kt_fold(const Model *m, const double *p);

/* laws.c */
int kt_law_fits(const Law *law);
int kt_law_linear(const Law *law);
double kt_law_force(const Law *law, const double *parameters, double s, double sdot);
double kt_law_potential(const Law *law, const double *parameters, double s);
double kt_law_free(const Law *law, const double *parameters);
void kt_law_slopes(const Law *law, const double *parameters, double s, double sdot, double *along, double *rate);
int kt_check_laws(Kernel *k);

/* programs.c */
int kt_formula_fits(const Formula *f, int constants, int slots, int tables);
int kt_value_of(const Device *d, int slot);
Move *kt_write_moves(Device *d, const Move *start, Move *out);

/* devices.c */
int kt_respond(Kernel *k, const double *inputs, int sloped);
int kt_rest(Kernel *k, const double *inputs);
void kt_set_devices(Kernel *k);
#define KT_SMALLEST 1e-200 /* of v in swift.py */
void kt_begin_swift(const Device *d, const double *R, double time, double *r, double *v);
int kt_calm(const Kernel *k, double time, double *w);

/* linear.c */
int kt_lu_solve(double *a, int n, double *right, int columns);
double kt_smallest_eigenvalue(double *a, int n);

/* step.c for each family of processors, and the choice among them; KT_NARROW allows no wider vectors than so many numbers */
#ifndef KT_NARROW
#define KT_NARROW 8
#endif
#if defined(__GNUC__) && defined(__x86_64__) && KT_NARROW >= 4
#define KT_AVX2
#endif
#if defined(KT_AVX2) && KT_NARROW >= 8
#define KT_AVX512
#endif
extern const Hot kt_hot_plain, kt_hot_avx2, kt_hot_avx512;
const Hot *kt_hot(void);
int kt_departure(Kernel *k, int say); /* whether the state lies where the tables were not measured */

/* table_error.c */
double kt_table_error(Kernel *k, int chart, const double *z, int kind);
int kt_product_count(int ns, int degree);

/* step_end.c */
void kt_find_limits(const Model *m, const Chart *c, double *least, double *most, double *path);
int kt_left(Kernel *k, int chart, int axis, double x);
int kt_not_finite(Kernel *k, const char *what, const char *name, double value);
int kt_beyond(Kernel *k, int chart, const double *z0, double h);
int kt_no_inertia(Kernel *k);
int kt_over_charts(Kernel *k, double h);
int kt_judge_end(Kernel *k, const State *state, double h);

/* contacts.c */
#define KT_MOST_BORDERS 4 /* of cams that a step crosses, where it is cut */
int kt_step_over(Kernel *k, State *state, double time, double tau, double h, int cuts);
int kt_watch(Kernel *k, const State *end, const double *z0, const double *zd0, double time, double h, int *lost);

/* pace.c */
int kt_check_starts(Kernel *k);
int kt_lower_step(Kernel *k);
void kt_too_long(Kernel *k, const State *state, double h);
int kt_measured_step(Kernel *k, State *state, double time, double tau, double h);

/* track.c */
void kt_quasi_rates(const Model *m, const double *z, const double *zd, double *u);
void kt_roll(const Model *m, const double *z, double *zd);
void kt_ground_accelerations(const Model *m, const double *z, const double *u, double *zdd);
void kt_add_track_force(Kernel *k, const RowSet *set, const double *u, double *force);
double kt_track_potential(Kernel *k, const RowSet *set);
void kt_track_twist(const Model *m, const double *u, double *V);
void kt_quasi_accelerations(const Model *m, const double *z, const double *u, const double *zdd, double *ud);
void kt_track_gravity(const Kernel *k, const double *z, double *g);
void kt_track_pose(const Model *m, const double *z, double *R, double *p);

/* statics.c */
int kt_start_at_rest(Kernel *k);

/* any.c: rows of a need */
int kt_read_any(Kernel *k, int chart, int need, const double *z, int mode, const Work *w);

/* messages.c */
void kt_format(const Fault *fault, char *text, size_t room);

#define KT_SLOTS 64 /* a bit of fresh: values of devices are those of this instant */
#define KT_DEVICE_WORK 12

/* Numbers of a device that do not change over a step: parameters, inputs, what its loads are made of. */
static inline int kt_given(const Device *d) { return d->parameters + d->inputs + d->loads * (1 + d->connections); }

/* What devices remember: states, unknowns, mean rates. */
static inline size_t kt_memory(const Model *m) { return 2 * (size_t)m->states + (size_t)m->unknowns; }

enum { AT_PHASE, AT_TIME, AT_CHART, AT_LAP, AT_AGE, AT_ERROR, AT_PACE, AT_VECTORS, AT_Z = KT_CHUNK }; /* places in the block */

static inline int padded(int n) { return (n + KT_CHUNK - 1) / KT_CHUNK * KT_CHUNK; }

static inline const char *kt_name(const Model *m, int chart, int k) {
    return k < m->nf ? m->chart[chart].axis[k].name : m->stiff[k - m->nf].name;
}

#endif
