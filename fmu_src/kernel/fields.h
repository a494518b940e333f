/* Written by kernel_reader.py from the lists of kernel_fields.py: change these instead. */
#ifndef KINETAB_FIELDS_H
#define KINETAB_FIELDS_H

#include "limits.h"
#include "stream.h"

#define KT_PLAN 19
#define KT_POSITION_ROWS 3 /* of a marker, see rows.py */
#define KT_ROTATION_ROWS 9
#define KT_TURNING_ROWS 3 /* per coordinate */
#define KT_FACTORS 3 /* most deflections that multiply a column, see reduced_model.py */

typedef struct Model Model;

/* a variable of the FMU, by its value reference */
typedef struct Variable {
    int causality;
    int fixed;
    double start;
    double lower;
    double upper;
    const char *name;
    const char *unit;
} Variable;

/* where an output comes from, see source.py */
typedef struct Output {
    int operation;
    int index;
    double lap;
    int part;
    double factor;
    const int *row;
} Output;

/* a variable that says where the motion starts */
typedef struct Start {
    int place;
    int reference;
} Start;

/* a stiff coordinate */
typedef struct Stiff {
    double about;
    double radius;
    double promise;
    int floats;
    const char *name;
    const char *unit;
    double told;
    const char *effort;
    double told_effort;
} Stiff;

/* a coordinate whose motion is an input */
typedef struct Drive {
    int axis;
    int first;
    double filter_time;
} Drive;

/* a force law, see law_parts.py */
typedef struct Law {
    int argument;
    int side;
    int curve;
    int reference;
    int preload;
    double design;
    int count;
    const int *parameters;
} Law;

/* a spring, a damper or one direction of a bushing */
typedef struct Element {
    int measure;
    double lap;
    const char *name;
    int laws; const Law *law;
} Element;

/* an off-diagonal entry of a bushing */
typedef struct Coupling {
    int a;
    int b;
    int stiffness;
    int damping;
} Coupling;

/* a bushing with couplings */
typedef struct Bushing {
    int count;
    const int *element;
} Bushing;

/* a formula of a device, see programs.py */
typedef struct Formula {
    const char *owner;
    const char *what;
    int count;
    const int *code;
} Formula;

/* a state of a device */
typedef struct DeviceState {
    const char *name;
} DeviceState;

/* an unknown of a device */
typedef struct DeviceUnknown {
    const char *name;
    double start;
    double nominal;
} DeviceUnknown;

/* a piecewise linear function that formulas read */
typedef struct Curve {
    int count;
    const double *x;
    const double *y;
} Curve;

/* an element that is described by formulas, or several that read one another, see devices.py */
typedef struct Device {
    int formulas; const Formula *formula;
    int inner;
    int connections;
    const int *element;
    const int *force;
    int states; const DeviceState *state;
    const int *rate;
    int unknowns; const DeviceUnknown *unknown;
    const int *residual;
    int parameters;
    const int *parameter;
    int inputs;
    int loads;
    const int *load;
    const int *pressed;
    int constants;
    const double *constant;
    int curves; const Curve *curve;
    int first_connection, first_state, first_unknown, first_curve; /* of it among those of all devices */
    int at; /* its values among those of all; from there on: */
    int width; /* numbers that slopes are along: s, sdot and x, */
    int active; /* and the unknowns: the first of its values; */
    int stride; /* of rows of slopes, in numbers */
    int flat; /* then those of formulas and steps between; from here on there are no slopes: parameters, */
    int pressing; /* inputs, */
    int fixed; /* what its loads are made of, */
    int values; /* constants: all of them */
    const struct Move *move, *outer; /* its formulas, see programs.c; where those behind the inner ones begin */
    const int *ends; /* of each, among the moves of all devices */
    size_t slopes_at; /* slopes of forces and then of rates, among those of all devices */
    const char *names; /* of its unknowns, for messages */
} Device;

/* a marker */
typedef struct Marker {
    int has_spin;
    const double *spin;
    const double *design;
} Marker;

/* a point of a steering axis */
typedef struct Ball {
    int carried;
    const double *at;
} Ball;

/* a wheel, see wheels.py */
typedef struct Wheel {
    const char *name;
    int marker;
    int outboard;
    double radius;
    const double *spin;
    const double *centre;
    const double *axes;
    int balls; const Ball *ball;
    int steering;
    int spring;
} Wheel;

/* a disc on the floor, see track.py */
typedef struct Track {
    const char *name;
    int rolling;
    int spin;
    double radius;
    const double *point;
    const double *axes;
    const double *floor;
} Track;

/* a design parameter */
typedef struct Design {
    int reference;
    double range;
    double told;
    const char *unit;
} Design;

/* a number outside of the tables that design parameters change */
typedef struct DesignNumber {
    int kind;
    int place;
    int part;
    double bare;
    const double *change;
    double *at; /* where it is in the model */
} DesignNumber;

/* remainders of one kind and degree, see remainder.py */
typedef struct ErrorRows {
    int kind;
    int degree;
    int count;
    int products;
    const double *coefficients;
} ErrorRows;

/* an axis of a chart */
typedef struct Axis {
    const char *name;
    const char *unit;
    double told;
    const char *effort;
    double told_effort;
    double lower;
    double upper;
    double promise;
    int periodic;
    int linear;
} Axis;

/* the rows of a marker */
typedef struct MarkerRows {
    int r;
    int R;
    int A;
} MarkerRows;

/* a part of a row that grows by a fixed slope */
typedef struct Slope {
    int row;
    int axis;
    double slope;
    double reference;
} Slope;

/* knots that blocks share, along one axis */
typedef struct Grid {
    int axis;
    int degree;
    int count;
    const double *knots;
    const double *powers; /* (count - degree, degree + 1, KT_WIDTH): basis functions of spans in powers of t */
    const double *per_length; /* (count - degree) one over the length of each span */
} Grid;

/* what coefficients along one axis are sums of, see factors.py */
typedef struct Basis {
    int count;
    int rank;
    const double *numbers;
} Basis;

/* eight columns that design parameters change, see designs.py */
typedef struct Change {
    int cell;
    int product;
} Change;

/* splines over the same axes with the same knots */
typedef struct Block {
    int nb;
    const int *grid;
    int columns;
    int words;
    const double *core;
    int bases; const Basis *basis;
    int changes;
    const Change *change;
    int change_words;
    const double *change_core;
    int change_bases; const Basis *change_basis;
    const double *coefficients; /* the core times the bases, or itself if there are none; with changes added */
    const double *bare; /* without them; none if there are none */
    size_t places; /* coefficients of a column */
    int degree; /* along all axes */
    int weighed; /* whether it takes the weights of all its corners */
    size_t weights_at; /* where these are */
    size_t stride[KT_MOST_AXES]; /* between neighbours along each axis */
    size_t at; /* its first column among all of the chart */
    const double *powers; /* (spans, columns / 8, degree + 1, 8) or none: its columns in powers of t */
} Block;

/* what a block adds to a run of chunks: cells without deflection, with one, with two and so on */
typedef struct Part {
    int block;
    int offset;
    int step;
    int plain;
    const int *times;
    const int *factor;
    int all; /* whether its factors are all deflections in turn: none need be looked up */
} Part;

/* chunks of rows, one after the other, to which the same blocks add as many cells */
typedef struct Run {
    int need;
    int row;
    int chunks;
    int kept;
    int parts; const Part *part;
} Run;

/* where a chart hands over to another */
typedef struct Border {
    int axis;
    int upper;
    int chart;
    int lap;
    int row;
    double at;
    const double *offset;
} Border;

/* tables over one set of coordinates; for the rows see rows.py */
typedef struct Chart {
    const Axis *axis;
    const int *end;
    const int *S;
    int s;
    int N;
    int I;
    int G;
    int c;
    const MarkerRows *marker;
    int slopes; const Slope *slope;
    int grids; const Grid *grid;
    int blocks; const Block *block;
    int runs; const Run *run;
    int borders; const Border *border;
    int run_end[KT_NEEDS]; /* of the runs of each need */
    const double *least, *most; /* (nz) where tables were measured, and a little more if they must not be left */
    const double *path; /* (nz) how far a step may go */
    const double *cell; /* (nf) length of the cells of the finest grid that steps read, along each axis */
} Chart;

/* where a profile begins another piece */
typedef struct Corner {
    double at;
} Corner;

/* a follower that its cam can only press */
typedef struct Contact {
    const char *name;
    int reference;
    int axis;
    int borders; const Corner *border;
} Contact;

/* a model as the kernel has it in memory */
struct Model {
    int version;
    const char *guid;
    int nf;
    int ns;
    int quasistatic;
    int moving;
    int charts;
    int midpoint;
    const char *tag;
    double mass;
    int variables; const Variable *variable;
    int first_input;
    int inputs_at;
    int outputs_at;
    int inputs;
    const Output *output;
    int states;
    int unknowns;
    int starts; const Start *start;
    const double *start_number;
    int parameters;
    const int *parameter;
    const int *gravity;
    const double *lap;
    const Stiff *stiff;
    int forced;
    const int *forced_axis;
    int drives; const Drive *drive;
    int twist;
    int twist_rate;
    int loads;
    int vectors;
    int measures;
    int varying;
    int elements; const Element *element;
    int couplings; const Coupling *coupling;
    int bushings; const Bushing *bushing;
    int device_inputs;
    int devices; const Device *device;
    int cardans;
    const int *cardan;
    int markers; const Marker *marker;
    int ports;
    const int *port;
    int wheels; const Wheel *wheel;
    int wheel_inputs;
    int loaded;
    const int *load_of_port;
    const int *load_of_wheel;
    int kept_still;
    const int *held;
    int tracks; const Track *track;
    int designs;
    const Design *design;
    int design_numbers; const DesignNumber *design_number;
    int estimates;
    int functions;
    const int *function;
    const double *spline_error;
    const double *spline_slope;
    int error_parts; const ErrorRows *error_rows;
    const Chart *chart;
    int contacts; const Contact *contact;
    int most_rows, most_grids, most_products, bends, kept, has_slopes, leaving, departing; /* found on reading */
    const struct Bend { int measure; double lap; const Law *law; } *bend; /* laws that are not linear */
    const double *far; /* (nz) where matrices of a midpoint rule do not serve any more, see midpoint.py */
    size_t weights; /* numbers that the weights of all blocks of a chart take at most */
    size_t most_columns; /* of all blocks of a chart */
    int load_rows, acceleration_rows; /* of a load, of the acceleration of a marker */
    int connections, most_active, most_rows_of_slopes; /* of all devices; of the one that has most */
    const struct Tie { int measure; double lap; int s, sdot, force; } *tie; /* (connections) places of values */
    const struct Held { int x, rate; } *held_at; /* (states) the same */
    const int *input_at; /* the same of their inputs */
    const struct Move *move; /* of all devices, */
    const struct Move *move_end;
    const Curve *const *curve_of; /* and the tables that they read */
    int device_values; /* numbers of all devices; the first one is zero */
    int pressing; /* loads that devices read */
    size_t device_slopes; /* the same of slopes of forces and rates */
    double *fold; /* memory of designs.c */
};


static inline void kt_read_Variable(Reader *r, const Model *m, Variable *o) {
    o->causality = kt_int(r, KT_PARAMETER, KT_OUTPUT, "a causality");
    o->fixed = kt_int(r, 0, 1, "a variability");
    o->start = kt_real(r, "a start value");
    o->lower = kt_number(r);
    o->upper = kt_number(r);
    o->name = kt_text(r);
    o->unit = kt_text(r);
    (void)m;
}

static inline void kt_read_Output(Reader *r, const Model *m, Output *o) {
    o->operation = kt_int(r, 0, KT_OPERATIONS - 1, "an operation");
    o->index = kt_int(r, 0, 1 << 20, "the index of an output");
    o->lap = kt_real(r, "the lap of an output");
    o->part = kt_int(r, 0, 1 << 20, "the part of an output");
    o->factor = kt_real(r, "the factor of an output");
    o->row = kt_ints(r, m->charts, -1, 1 << 20, "the row of an output");
    (void)m;
}

static inline void kt_read_Start(Reader *r, const Model *m, Start *o) {
    o->place = kt_int(r, 0, 2 * (m->nf + m->ns) + m->states - 1, "the place of a start value");
    o->reference = kt_int(r, 0, m->outputs_at - 1, "the variable of a start value");
    (void)m;
}

static inline void kt_read_Stiff(Reader *r, const Model *m, Stiff *o) {
    o->about = kt_real(r, "a deflection");
    o->radius = kt_real(r, "a radius");
    o->promise = kt_real(r, "a tolerance");
    o->floats = kt_int(r, 0, 1, "whether a deflection floats");
    o->name = kt_text(r);
    o->unit = kt_text(r);
    o->told = kt_real(r, "a unit of messages");
    o->effort = kt_text(r);
    o->told_effort = kt_real(r, "a unit of messages");
    (void)m;
}

static inline void kt_read_Drive(Reader *r, const Model *m, Drive *o) {
    o->axis = kt_int(r, 0, m->nf - 1, "the axis of a drive");
    o->first = kt_int(r, 0, m->inputs - 1, "the inputs of a drive");
    o->filter_time = kt_real(r, "the filter of a drive");
    (void)m;
}

static inline void kt_read_Law(Reader *r, const Model *m, Law *o) {
    o->argument = kt_int(r, 0, KT_LAW_ARGUMENTS - 1, "the argument of a law");
    o->side = kt_int(r, 0, KT_LAW_SIDES - 1, "the side of a law");
    o->curve = kt_int(r, 0, KT_LAW_CURVES - 1, "the curve of a law");
    o->reference = kt_int(r, -1, m->parameters - 1, "the reference of a law");
    o->preload = kt_int(r, -1, m->parameters - 1, "the preload of a law");
    o->design = kt_real(r, "a value at design");
    o->count = kt_int(r, 0, 1 << 16, "the number of parameters of a law");
    o->parameters = kt_ints(r, o->count, 0, m->parameters - 1, "a parameter of a law");
    (void)m;
}

static inline void kt_read_Element(Reader *r, const Model *m, Element *o) {
    o->measure = kt_int(r, 0, m->measures - 1, "a measure");
    o->lap = kt_real(r, "the lap of an element");
    o->name = kt_text(r);
    o->laws = kt_length(r, "the number of laws");
    if (r->fault) return;
    Law *law = kt_take(r, (size_t)(o->laws), sizeof *law);
    for (int i = 0; i < (o->laws) && !r->fault; i++) kt_read_Law(r, m, law + i);
    o->law = law;
    if (r->fault) return;
    (void)m;
}

static inline void kt_read_Coupling(Reader *r, const Model *m, Coupling *o) {
    o->a = kt_int(r, 0, m->elements - 1, "a coupling");
    o->b = kt_int(r, 0, m->elements - 1, "a coupling");
    o->stiffness = kt_int(r, 0, m->parameters - 1, "a coupling");
    o->damping = kt_int(r, 0, m->parameters - 1, "a coupling");
    (void)m;
}

static inline void kt_read_Bushing(Reader *r, const Model *m, Bushing *o) {
    o->count = kt_int(r, 1, 6, "the directions of a bushing");
    o->element = kt_ints(r, o->count, 0, m->elements - 1, "a direction of a bushing");
    (void)m;
}

static inline void kt_read_Formula(Reader *r, const Model *m, Formula *o) {
    o->owner = kt_text(r);
    o->what = kt_text(r);
    o->count = kt_int(r, 1, KT_MOST_INSTRUCTIONS, "the length of a formula");
    o->code = kt_ints(r, 2 * o->count, -(1 << 30), 1 << 30, "an instruction");
    (void)m;
}

static inline void kt_read_DeviceState(Reader *r, const Model *m, DeviceState *o) {
    o->name = kt_text(r);
    (void)m;
}

static inline void kt_read_DeviceUnknown(Reader *r, const Model *m, DeviceUnknown *o) {
    o->name = kt_text(r);
    o->start = kt_real(r, "a start value");
    o->nominal = kt_real(r, "a nominal value");
    (void)m;
}

static inline void kt_read_Curve(Reader *r, const Model *m, Curve *o) {
    o->count = kt_int(r, 2, 1 << 16, "the length of a table");
    o->x = kt_reals(r, o->count, "a table");
    o->y = kt_reals(r, o->count, "a table");
    (void)m;
}

static inline void kt_read_Device(Reader *r, const Model *m, Device *o) {
    o->formulas = kt_length(r, "the number of formulas");
    if (r->fault) return;
    Formula *formula = kt_take(r, (size_t)(o->formulas), sizeof *formula);
    for (int i = 0; i < (o->formulas) && !r->fault; i++) kt_read_Formula(r, m, formula + i);
    o->formula = formula;
    if (r->fault) return;
    o->inner = kt_int(r, 0, o->formulas, "the formulas of residuals");
    o->connections = kt_int(r, 0, KT_MOST_ACTIVE, "the measures of a device");
    o->element = kt_ints(r, o->connections, 0, m->elements - 1, "a measure of a device");
    o->force = kt_ints(r, o->connections, -1, o->formulas - 1, "a force of a device");
    o->states = kt_length(r, "the number of states");
    if (r->fault) return;
    DeviceState *state = kt_take(r, (size_t)(o->states), sizeof *state);
    for (int i = 0; i < (o->states) && !r->fault; i++) kt_read_DeviceState(r, m, state + i);
    o->state = state;
    if (r->fault) return;
    o->rate = kt_ints(r, o->states, 0, o->formulas - 1, "a rate of a device");
    o->unknowns = kt_length(r, "the number of unknowns");
    if (r->fault) return;
    DeviceUnknown *unknown = kt_take(r, (size_t)(o->unknowns), sizeof *unknown);
    for (int i = 0; i < (o->unknowns) && !r->fault; i++) kt_read_DeviceUnknown(r, m, unknown + i);
    o->unknown = unknown;
    if (r->fault) return;
    o->residual = kt_ints(r, o->unknowns, 0, o->inner - 1, "a residual of a device");
    o->parameters = kt_int(r, 0, m->parameters, "the parameters of a device");
    o->parameter = kt_ints(r, o->parameters, 0, m->parameters - 1, "a parameter of a device");
    o->inputs = kt_int(r, 0, m->inputs - m->device_inputs, "the inputs of a device");
    o->loads = kt_int(r, 0, o->unknowns, "the loads of a device");
    o->load = kt_ints(r, o->loads, m->outputs_at, m->variables - 1, "a load of a device");
    o->pressed = kt_ints(r, o->loads, 0, o->unknowns - 1, "a load of a device");
    o->constants = kt_int(r, 0, 1 << 16, "the constants of a device");
    o->constant = kt_reals(r, o->constants, "a constant");
    o->curves = kt_length(r, "the number of tables");
    if (r->fault) return;
    Curve *curve = kt_take(r, (size_t)(o->curves), sizeof *curve);
    for (int i = 0; i < (o->curves) && !r->fault; i++) kt_read_Curve(r, m, curve + i);
    o->curve = curve;
    if (r->fault) return;
    (void)m;
}

static inline void kt_read_Marker(Reader *r, const Model *m, Marker *o) {
    o->has_spin = kt_int(r, 0, 1, "a spin axis");
    o->spin = kt_reals(r, 3, "a spin axis");
    o->design = kt_reals(r, 3, "a spin axis");
    (void)m;
}

static inline void kt_read_Ball(Reader *r, const Model *m, Ball *o) {
    o->carried = kt_int(r, 0, 1, "the body of a ball");
    o->at = kt_reals(r, 3, "the place of a ball");
    (void)m;
}

static inline void kt_read_Wheel(Reader *r, const Model *m, Wheel *o) {
    o->name = kt_text(r);
    o->marker = kt_int(r, 0, m->markers - 1, "the marker of a wheel");
    o->outboard = kt_int(r, -1, 1, "the side of a wheel");
    o->radius = kt_real(r, "the radius of a wheel");
    o->spin = kt_reals(r, 3, "the spin axis of a wheel");
    o->centre = kt_reals(r, 3, "the centre of a wheel");
    o->axes = kt_reals(r, 9, "the axes of a wheel");
    o->balls = kt_length(r, "the number of balls");
    if (r->fault) return;
    Ball *ball = kt_take(r, (size_t)(o->balls), sizeof *ball);
    for (int i = 0; i < (o->balls) && !r->fault; i++) kt_read_Ball(r, m, ball + i);
    o->ball = ball;
    if (r->fault) return;
    o->steering = kt_int(r, -1, m->nf - 1, "the steering of a wheel");
    o->spring = kt_int(r, -1, m->elements - 1, "the spring of a wheel");
    (void)m;
}

static inline void kt_read_Track(Reader *r, const Model *m, Track *o) {
    o->name = kt_text(r);
    o->rolling = kt_int(r, 0, 1, "the contact of a disc");
    o->spin = kt_int(r, 0, m->nf - 4, "the spin of a disc");
    o->radius = kt_real(r, "the radius of a disc");
    o->point = kt_reals(r, 3, "the place of a disc");
    o->axes = kt_reals(r, 9, "the axes of a disc");
    o->floor = kt_reals(r, 6, "the axes of a floor");
    (void)m;
}

static inline void kt_read_Design(Reader *r, const Model *m, Design *o) {
    o->reference = kt_int(r, 0, m->first_input - 1, "the variable of a design parameter");
    o->range = kt_real(r, "the range of a design parameter");
    o->told = kt_real(r, "a unit of messages");
    o->unit = kt_text(r);
    (void)m;
}

static inline void kt_read_DesignNumber(Reader *r, const Model *m, DesignNumber *o) {
    o->kind = kt_int(r, 0, KT_NUMBERS - 1, "the kind of a number");
    o->place = kt_int(r, 0, 1 << 24, "the place of a number");
    o->part = kt_int(r, 0, 1 << 24, "the place of a number");
    o->bare = kt_real(r, "a number");
    o->change = kt_reals(r, KT_PRODUCTS(m->designs), "the change of a number");
    (void)m;
}

static inline void kt_read_ErrorRows(Reader *r, const Model *m, ErrorRows *o) {
    o->kind = kt_int(r, 0, 2, "the kind of remainders");
    o->degree = kt_int(r, 1, KT_MOST_ERROR_DEGREE, "the degree of remainders");
    o->count = kt_int(r, 1, 1 << 16, "the number of remainders");
    o->products = kt_int(r, 1, 1 << 20, "the products of deflections");
    o->coefficients = kt_table(r, (size_t)o->count * (size_t)m->functions * (size_t)o->products, "the place of remainders");
    (void)m;
}

static inline void kt_read_Axis(Reader *r, const Model *m, Axis *o) {
    o->name = kt_text(r);
    o->unit = kt_text(r);
    o->told = kt_real(r, "a unit of messages");
    o->effort = kt_text(r);
    o->told_effort = kt_real(r, "a unit of messages");
    o->lower = kt_real(r, "the range of an axis");
    o->upper = kt_real(r, "the range of an axis");
    o->promise = kt_real(r, "a tolerance");
    o->periodic = kt_int(r, 0, 1, "the kind of an axis");
    o->linear = kt_int(r, 0, 1, "the kind of an axis");
    (void)m;
}

static inline void kt_read_MarkerRows(Reader *r, const Model *m, MarkerRows *o) {
    o->r = kt_int(r, 0, KT_MOST_ROWS - KT_POSITION_ROWS, "the place of a marker");
    o->R = kt_int(r, 0, KT_MOST_ROWS - KT_ROTATION_ROWS, "the place of a rotation");
    o->A = kt_int(r, 0, KT_MOST_ROWS - KT_TURNING_ROWS * (m->nf + m->ns), "the place of an angular Jacobian");
    (void)m;
}

static inline void kt_read_Slope(Reader *r, const Model *m, Slope *o) {
    o->row = kt_int(r, 0, KT_MOST_ROWS - 1, "the row of a slope");
    o->axis = kt_int(r, 0, m->nf - 1, "the axis of a slope");
    o->slope = kt_real(r, "a slope");
    o->reference = kt_real(r, "a slope");
    (void)m;
}

static inline void kt_read_Grid(Reader *r, const Model *m, Grid *o) {
    o->axis = kt_int(r, 0, m->nf - 1, "the axis of a grid");
    o->degree = kt_int(r, 1, KT_MOST_DEGREE, "the degree of a grid");
    o->count = kt_int(r, o->degree + 1, 1 << 24, "the size of a grid");
    o->knots = kt_table(r, (size_t)o->count + (size_t)o->degree + 1, "the place of a grid");
    (void)m;
}

static inline void kt_read_Basis(Reader *r, const Model *m, Basis *o) {
    o->count = kt_int(r, 1, 1 << 15, "the size of a basis");
    o->rank = kt_int(r, 1, o->count, "the size of a basis");
    o->numbers = kt_table(r, (size_t)o->count * (size_t)o->rank, "the place of a basis");
    (void)m;
}

static inline void kt_read_Change(Reader *r, const Model *m, Change *o) {
    o->cell = kt_int(r, 0, 1 << 21, "the cell of a change");
    o->product = kt_int(r, 0, KT_PRODUCTS(m->designs) - 1, "the product of a change");
    (void)m;
}

static inline void kt_read_Block(Reader *r, const Model *m, Block *o) {
    o->nb = kt_int(r, 0, KT_MOST_AXES, "the axes of a block");
    o->grid = kt_ints(r, o->nb, 0, KT_MOST_GRIDS - 1, "the grid of a block");
    o->columns = kt_int(r, 1, 1 << 24, "the columns of a block");
    o->words = kt_int(r, 1, 1 << 28, "the size of a block");
    o->core = kt_table(r, (size_t)o->words, "the place of a block");
    o->bases = kt_length(r, "the number of bases");
    if (r->fault) return;
    Basis *basis = kt_take(r, (size_t)(o->bases), sizeof *basis);
    for (int i = 0; i < (o->bases) && !r->fault; i++) kt_read_Basis(r, m, basis + i);
    o->basis = basis;
    if (r->fault) return;
    o->changes = kt_int(r, 0, 1 << 24, "the changes of a block");
    if (r->fault) return;
    Change *change = kt_take(r, (size_t)(o->changes), sizeof *change);
    for (int i = 0; i < (o->changes) && !r->fault; i++) kt_read_Change(r, m, change + i);
    o->change = change;
    if (r->fault) return;
    o->change_words = kt_int(r, 0, 1 << 28, "the size of changes");
    o->change_core = kt_table(r, (size_t)o->change_words, "the place of changes");
    o->change_bases = kt_length(r, "the bases of changes");
    if (r->fault) return;
    Basis *change_basis = kt_take(r, (size_t)(o->change_bases), sizeof *change_basis);
    for (int i = 0; i < (o->change_bases) && !r->fault; i++) kt_read_Basis(r, m, change_basis + i);
    o->change_basis = change_basis;
    if (r->fault) return;
    (void)m;
}

static inline void kt_read_Part(Reader *r, const Model *m, Part *o) {
    o->block = kt_int(r, 0, KT_MOST_BLOCKS - 1, "the block of a part");
    o->offset = kt_int(r, 0, 1 << 24, "the place of a part");
    o->step = kt_int(r, 0, 1 << 24, "the place of a part");
    o->plain = kt_int(r, 0, 1, "the cells of a part");
    o->times = kt_ints(r, KT_FACTORS, 0, KT_MOST_CELLS, "the cells of a part");
    o->factor = kt_ints(r, kt_factors(o->times, KT_FACTORS), 0, m->ns - 1, "the factor of a cell");
    (void)m;
}

static inline void kt_read_Run(Reader *r, const Model *m, Run *o) {
    o->need = kt_int(r, 0, KT_NEEDS - 1, "the need of rows");
    o->row = kt_int(r, 0, KT_MOST_ROWS - KT_CHUNK, "the rows of a chunk");
    o->chunks = kt_int(r, 1, KT_MOST_ROWS / KT_CHUNK, "the number of chunks");
    o->kept = kt_int(r, 0, 1, "the kind of rows");
    o->parts = kt_length(r, "the number of parts");
    if (r->fault) return;
    Part *part = kt_take(r, (size_t)(o->parts), sizeof *part);
    for (int i = 0; i < (o->parts) && !r->fault; i++) kt_read_Part(r, m, part + i);
    o->part = part;
    if (r->fault) return;
    (void)m;
}

static inline void kt_read_Border(Reader *r, const Model *m, Border *o) {
    o->axis = kt_int(r, 0, m->nf - 1, "the axis of a border");
    o->upper = kt_int(r, 0, 1, "the side of a border");
    o->chart = kt_int(r, 0, m->charts - 1, "the chart of a border");
    o->lap = kt_int(r, -(1 << 20), 1 << 20, "the lap of a border");
    o->row = kt_int(r, 0, KT_MOST_ROWS - m->nf, "the place of a border");
    o->at = kt_real(r, "the place of a border");
    o->offset = kt_reals(r, m->nf, "the offset of a border");
    (void)m;
}

static inline void kt_read_Chart(Reader *r, const Model *m, Chart *o) {
    if (r->fault) return;
    Axis *axis = kt_take(r, (size_t)(m->nf), sizeof *axis);
    for (int i = 0; i < (m->nf) && !r->fault; i++) kt_read_Axis(r, m, axis + i);
    o->axis = axis;
    if (r->fault) return;
    o->end = kt_ints(r, KT_NEEDS, 0, KT_MOST_ROWS, "the number of rows");
    o->S = kt_ints(r, 3, 0, o->end[KT_ACROSS] - 1, "the place of S");
    o->s = kt_int(r, 0, o->end[KT_MOTION] - m->measures, "the place of the measures");
    o->N = kt_int(r, m->moving || m->tracks ? 0 : -1, m->moving || m->tracks ? o->end[KT_REQUEST] - 6 * (m->nf + m->ns) : -1, "the place of N");
    o->I = kt_int(r, m->moving || m->tracks ? 0 : -1, m->moving || m->tracks ? o->end[KT_REQUEST] - 6 : -1, "the place of I");
    o->G = kt_int(r, m->charts > 1 ? 0 : -1, m->charts > 1 ? o->end[KT_REQUEST] - m->nf * m->nf : -1, "the place of G");
    o->c = kt_int(r, m->charts > 1 ? 0 : -1, m->charts > 1 ? o->end[KT_REQUEST] - m->nf : -1, "the place of the coordinates");
    if (r->fault) return;
    MarkerRows *marker = kt_take(r, (size_t)(m->markers), sizeof *marker);
    for (int i = 0; i < (m->markers) && !r->fault; i++) kt_read_MarkerRows(r, m, marker + i);
    o->marker = marker;
    if (r->fault) return;
    o->slopes = kt_length(r, "the number of slopes");
    if (r->fault) return;
    Slope *slope = kt_take(r, (size_t)(o->slopes), sizeof *slope);
    for (int i = 0; i < (o->slopes) && !r->fault; i++) kt_read_Slope(r, m, slope + i);
    o->slope = slope;
    if (r->fault) return;
    o->grids = kt_length(r, "the number of grids");
    if (r->fault) return;
    Grid *grid = kt_take(r, (size_t)(o->grids), sizeof *grid);
    for (int i = 0; i < (o->grids) && !r->fault; i++) kt_read_Grid(r, m, grid + i);
    o->grid = grid;
    if (r->fault) return;
    o->blocks = kt_length(r, "the number of blocks");
    if (r->fault) return;
    Block *block = kt_take(r, (size_t)(o->blocks), sizeof *block);
    for (int i = 0; i < (o->blocks) && !r->fault; i++) kt_read_Block(r, m, block + i);
    o->block = block;
    if (r->fault) return;
    o->runs = kt_length(r, "the number of runs");
    if (r->fault) return;
    Run *run = kt_take(r, (size_t)(o->runs), sizeof *run);
    for (int i = 0; i < (o->runs) && !r->fault; i++) kt_read_Run(r, m, run + i);
    o->run = run;
    if (r->fault) return;
    o->borders = kt_length(r, "the number of borders");
    if (r->fault) return;
    Border *border = kt_take(r, (size_t)(o->borders), sizeof *border);
    for (int i = 0; i < (o->borders) && !r->fault; i++) kt_read_Border(r, m, border + i);
    o->border = border;
    if (r->fault) return;
    (void)m;
}

static inline void kt_read_Corner(Reader *r, const Model *m, Corner *o) {
    o->at = kt_real(r, "a border");
    (void)m;
}

static inline void kt_read_Contact(Reader *r, const Model *m, Contact *o) {
    o->name = kt_text(r);
    o->reference = kt_int(r, m->outputs_at, m->variables - 1, "the normal force of a contact");
    o->axis = kt_int(r, 0, m->nf - 1, "the axis of a contact");
    o->borders = kt_length(r, "the borders of a contact");
    if (r->fault) return;
    Corner *border = kt_take(r, (size_t)(o->borders), sizeof *border);
    for (int i = 0; i < (o->borders) && !r->fault; i++) kt_read_Corner(r, m, border + i);
    o->border = border;
    if (r->fault) return;
    (void)m;
}

static inline void kt_read_Model(Reader *r, Model *m) {
    Model *o = m;
    o->version = kt_int(r, KT_PLAN, KT_PLAN, "its version");
    o->guid = kt_text(r);
    o->nf = kt_int(r, 1, KT_MOST_Z, "the number of axes");
    o->ns = kt_int(r, 0, KT_MOST_Z - o->nf, "the number of stiff coordinates");
    o->quasistatic = kt_int(r, 0, 1, "whether stiff coordinates are quasi-static");
    o->moving = kt_int(r, 0, 1, "whether the ground moves");
    o->charts = kt_int(r, 1, o->ns ? 1 : 1 << 16, "the number of charts");
    o->midpoint = kt_int(r, 0, 1, "its method");
    o->tag = kt_text(r);
    o->mass = kt_real(r, "the mass");
    o->variables = kt_length(r, "the number of variables");
    if (r->fault) return;
    Variable *variable = kt_take(r, (size_t)(o->variables), sizeof *variable);
    for (int i = 0; i < (o->variables) && !r->fault; i++) kt_read_Variable(r, m, variable + i);
    o->variable = variable;
    if (r->fault) return;
    o->first_input = kt_int(r, 1, o->variables, "the place of the inputs");
    o->inputs_at = kt_int(r, o->first_input, o->variables, "the place of the inputs");
    o->outputs_at = kt_int(r, o->inputs_at, o->variables, "the place of the outputs");
    o->inputs = kt_int(r, o->outputs_at - o->inputs_at, o->outputs_at - o->inputs_at, "the number of inputs");
    if (r->fault) return;
    Output *output = kt_take(r, (size_t)(o->variables - o->outputs_at), sizeof *output);
    for (int i = 0; i < (o->variables - o->outputs_at) && !r->fault; i++) kt_read_Output(r, m, output + i);
    o->output = output;
    if (r->fault) return;
    o->states = kt_int(r, 0, KT_MOST_STATES, "the states of devices");
    o->unknowns = kt_int(r, 0, KT_MOST_STATES, "the unknowns of devices");
    o->starts = kt_length(r, "the number of start values");
    if (r->fault) return;
    Start *start = kt_take(r, (size_t)(o->starts), sizeof *start);
    for (int i = 0; i < (o->starts) && !r->fault; i++) kt_read_Start(r, m, start + i);
    o->start = start;
    if (r->fault) return;
    o->start_number = kt_reals(r, 2 * (o->nf + o->ns), "a start value");
    o->parameters = kt_int(r, 3, o->outputs_at, "the number of parameters");
    o->parameter = kt_ints(r, o->parameters, 0, o->outputs_at - 1, "a parameter");
    o->gravity = kt_ints(r, 3, 0, o->parameters - 1, "gravity");
    o->lap = kt_reals(r, o->nf, "the lap of a coordinate");
    if (r->fault) return;
    Stiff *stiff = kt_take(r, (size_t)(o->ns), sizeof *stiff);
    for (int i = 0; i < (o->ns) && !r->fault; i++) kt_read_Stiff(r, m, stiff + i);
    o->stiff = stiff;
    if (r->fault) return;
    o->forced = kt_int(r, 0, o->nf < o->inputs ? o->nf : o->inputs, "the number of generalized forces");
    o->forced_axis = kt_ints(r, o->forced, 0, o->nf - 1, "a generalized force");
    o->drives = kt_length(r, "the number of drives");
    if (r->fault) return;
    Drive *drive = kt_take(r, (size_t)(o->drives), sizeof *drive);
    for (int i = 0; i < (o->drives) && !r->fault; i++) kt_read_Drive(r, m, drive + i);
    o->drive = drive;
    if (r->fault) return;
    o->twist = kt_int(r, 0, o->inputs - 6 * o->moving, "the place of the twist");
    o->twist_rate = kt_int(r, 0, o->inputs - 6 * o->moving, "the place of the twist's rate");
    o->loads = kt_int(r, 0, o->inputs, "the place of the loads");
    o->vectors = kt_int(r, KT_VECTORS, KT_VECTORS, "the vectors of a state");
    o->measures = kt_int(r, 0, KT_MOST_ROWS, "the number of measures");
    o->varying = kt_int(r, 0, o->measures, "the number of varying measures");
    o->elements = kt_length(r, "the number of elements");
    if (r->fault) return;
    Element *element = kt_take(r, (size_t)(o->elements), sizeof *element);
    for (int i = 0; i < (o->elements) && !r->fault; i++) kt_read_Element(r, m, element + i);
    o->element = element;
    if (r->fault) return;
    o->couplings = kt_length(r, "the number of couplings");
    if (r->fault) return;
    Coupling *coupling = kt_take(r, (size_t)(o->couplings), sizeof *coupling);
    for (int i = 0; i < (o->couplings) && !r->fault; i++) kt_read_Coupling(r, m, coupling + i);
    o->coupling = coupling;
    if (r->fault) return;
    o->bushings = kt_length(r, "the number of coupled bushings");
    if (r->fault) return;
    Bushing *bushing = kt_take(r, (size_t)(o->bushings), sizeof *bushing);
    for (int i = 0; i < (o->bushings) && !r->fault; i++) kt_read_Bushing(r, m, bushing + i);
    o->bushing = bushing;
    if (r->fault) return;
    o->device_inputs = kt_int(r, o->loads, o->inputs, "the place of the inputs of devices");
    o->devices = kt_length(r, "the number of devices");
    if (r->fault) return;
    Device *device = kt_take(r, (size_t)(o->devices), sizeof *device);
    for (int i = 0; i < (o->devices) && !r->fault; i++) kt_read_Device(r, m, device + i);
    o->device = device;
    if (r->fault) return;
    o->cardans = kt_int(r, 0, o->elements / 6, "the number of bushings with Cardan angles");
    o->cardan = kt_ints(r, o->cardans, 0, o->elements - 6, "a bushing with Cardan angles");
    o->markers = kt_length(r, "the number of markers");
    if (r->fault) return;
    Marker *marker = kt_take(r, (size_t)(o->markers), sizeof *marker);
    for (int i = 0; i < (o->markers) && !r->fault; i++) kt_read_Marker(r, m, marker + i);
    o->marker = marker;
    if (r->fault) return;
    o->ports = kt_int(r, 0, (o->device_inputs - o->loads) / 6, "the number of ports");
    o->port = kt_ints(r, o->ports, 0, o->markers - 1, "the marker of a port");
    o->wheels = kt_length(r, "the number of wheels");
    if (r->fault) return;
    Wheel *wheel = kt_take(r, (size_t)(o->wheels), sizeof *wheel);
    for (int i = 0; i < (o->wheels) && !r->fault; i++) kt_read_Wheel(r, m, wheel + i);
    o->wheel = wheel;
    if (r->fault) return;
    o->wheel_inputs = kt_int(r, o->loads + 6 * o->ports, o->device_inputs - KT_WHEEL_INPUTS * o->wheels, "the place of the inputs of wheels");
    o->loaded = kt_int(r, 0, o->markers, "the number of markers where forces act");
    o->load_of_port = kt_ints(r, o->ports, 0, o->loaded - 1, "the load of a port");
    o->load_of_wheel = kt_ints(r, o->wheels, 0, o->loaded - 1, "the load of a wheel");
    o->kept_still = kt_int(r, 0, o->nf, "the number of coordinates that are held while wheels travel");
    o->held = kt_ints(r, o->kept_still, 0, o->nf - 1, "a coordinate that is held while wheels travel");
    o->tracks = kt_length(r, "the number of discs on the floor");
    if (r->fault) return;
    Track *track = kt_take(r, (size_t)(o->tracks), sizeof *track);
    for (int i = 0; i < (o->tracks) && !r->fault; i++) kt_read_Track(r, m, track + i);
    o->track = track;
    if (r->fault) return;
    o->designs = kt_int(r, 0, KT_MOST_DESIGNS, "the number of design parameters");
    if (r->fault) return;
    Design *design = kt_take(r, (size_t)(o->designs), sizeof *design);
    for (int i = 0; i < (o->designs) && !r->fault; i++) kt_read_Design(r, m, design + i);
    o->design = design;
    if (r->fault) return;
    o->design_numbers = kt_length(r, "the number of numbers");
    if (r->fault) return;
    DesignNumber *design_number = kt_take(r, (size_t)(o->design_numbers), sizeof *design_number);
    for (int i = 0; i < (o->design_numbers) && !r->fault; i++) kt_read_DesignNumber(r, m, design_number + i);
    o->design_number = design_number;
    if (r->fault) return;
    o->estimates = kt_int(r, 0, 1, "whether errors are estimated");
    o->functions = kt_int(r, 0, 1 << 12, "the functions of axes");
    o->function = kt_ints(r, o->functions * o->nf, 0, KT_MOST_FUNCTION, "a function of an axis");
    o->spline_error = kt_reals(r, 3, "the error of splines");
    o->spline_slope = kt_reals(r, 3 * o->ns, "the error of splines");
    o->error_parts = kt_length(r, "the number of remainders");
    if (r->fault) return;
    ErrorRows *error_rows = kt_take(r, (size_t)(o->error_parts), sizeof *error_rows);
    for (int i = 0; i < (o->error_parts) && !r->fault; i++) kt_read_ErrorRows(r, m, error_rows + i);
    o->error_rows = error_rows;
    if (r->fault) return;
    if (r->fault) return;
    Chart *chart = kt_take(r, (size_t)(o->charts), sizeof *chart);
    for (int i = 0; i < (o->charts) && !r->fault; i++) kt_read_Chart(r, m, chart + i);
    o->chart = chart;
    if (r->fault) return;
    o->contacts = kt_length(r, "the number of contacts");
    if (r->fault) return;
    Contact *contact = kt_take(r, (size_t)(o->contacts), sizeof *contact);
    for (int i = 0; i < (o->contacts) && !r->fault; i++) kt_read_Contact(r, m, contact + i);
    o->contact = contact;
    if (r->fault) return;
    (void)m;
}

#endif
