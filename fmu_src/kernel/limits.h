/* Limits and names that reader and kernel share. */
#ifndef KINETAB_LIMITS_H
#define KINETAB_LIMITS_H

#include "laws_list.h"

#define KT_SCHEMA 21
#define KT_CHUNK 8 /* rows that are treated together */
#define KT_MOST_AXES 3 /* of a block; a chart may have more */
#define KT_MOST_DEGREE 9
#define KT_MOST_FUNCTION 8 /* of an axis, in estimates of errors */
#define KT_MOST_ERROR_DEGREE 4 /* of what polynomials of deflections leave out */
#define KT_MOST_Z 60 /* coordinates, axes and stiff ones */
#define KT_MOST_ROWS (1 << 20)
#define KT_MOST_CELLS (1 << 20) /* of a part with as many deflections */
#define KT_MOST_GRIDS 64
#define KT_MOST_BLOCKS 64
#define KT_WIDTH 16 /* room for basis functions */
#define KT_TAG 16
#define KT_VECTORS 6 /* of a state */
#define KT_WHEEL_INPUTS 12 /* see inputs.py; */
#define KT_WHEEL_NORMAL 8 /* among them, that of the road */
#define KT_MOST_DEPTH 32 /* of the stack of a formula, see programs.py; */
#define KT_MOST_INSTRUCTIONS 1024
#define KT_MOST_POWER 64
#define KT_MOST_ACTIVE 64 /* numbers of a device that change over a step, see devices.py; */
#define KT_MOST_STATES 1024 /* of all of them, and so many connections */
#define KT_MOST_DESIGNS 6 /* see designs.py; of so many there are so many products: */
#define KT_PRODUCTS(n) ((n) + (n) * ((n) + 1) / 2)
#define KT_SHORTEST_STEP 1e-9 /* [s], see variables.py */

enum { KT_SOLVER_STEP, KT_SOLVER_CHECK, KT_SOLVER_STATIC }; /* value references */
enum { KT_PARAMETER, KT_INPUT, KT_OUTPUT }; /* causality */
enum { KT_MOTION, KT_ACROSS, KT_MOMENTS, KT_SHOWN, KT_POSES, KT_REQUEST, KT_NEEDS }; /* see rows.py */
enum { /* see source.py */
    KT_COORDINATE, KT_RATE, KT_ACCELERATION, KT_DRIVE, KT_ROW, KT_ROW_RATE, KT_FORCE, KT_TURNING, KT_ANGLE, KT_STEER,
    KT_CAMBER, KT_WRENCH, KT_ENERGY, KT_IN_RANGE, KT_CHART, KT_FREE, KT_PRELOAD, KT_STEER_ABSOLUTE, KT_CAMBER_CHANGE,
    KT_STEP_ERROR, KT_TABLE_ERROR, KT_LOAD, KT_WHEEL, KT_GEOMETRIC, KT_RATIO, KT_SCREW, /* from KT_WHEEL on, those of wheels, and then: */
    KT_DEVICE, KT_CONTACT, KT_CARRIED, KT_OPERATIONS
};
enum { /* where the parts of a wheel begin, see source.py */
    KT_WHEEL_TRAVEL = 0, KT_WHEEL_TOE = 1, KT_WHEEL_CAMBER = 2, KT_WHEEL_CONTACT = 3, KT_WHEEL_GAP = 6,
    KT_WHEEL_INCLINATION = 7, KT_WHEEL_FORWARD = 8, KT_WHEEL_LEFT = 11, KT_WHEEL_VELOCITY = 14, KT_WHEEL_MATERIAL = 17,
    KT_WHEEL_SLIP = 20, KT_WHEEL_NUMBERS = 22
};
enum { /* numbers that design parameters change, see designs.py */
    KT_MASS, KT_LAW_DESIGN, KT_SPIN, KT_SPIN_DESIGN, KT_RADIUS, KT_WHEEL_SPIN, KT_CENTRE, KT_BALL, KT_NUMBERS
};
#define KT_CARRIED_NUMBERS 12 /* of a marker on the track of a disc: r, v, w, angles */
enum { KT_CASTER, KT_KINGPIN, KT_SCRUB, KT_TRAIL, KT_STEERING_NUMBERS };

enum { /* see programs.py; the last one is ours */
    KT_OP_NUMBER, KT_OP_SLOT, KT_OP_ADD, KT_OP_SUBTRACT, KT_OP_MULTIPLY, KT_OP_DIVIDE, KT_OP_POWER, KT_OP_WHOLE_POWER,
    KT_OP_NEGATE, KT_OP_MIN, KT_OP_MAX, KT_OP_ABS, KT_OP_SQRT, KT_OP_EXP, KT_OP_LOG, KT_OP_SIN, KT_OP_COS, KT_OP_ATAN2,
    KT_OP_TANH, KT_OP_SIGN, KT_OP_TABLE, KT_OP_LESS, KT_OP_AT_MOST, KT_OP_MORE, KT_OP_AT_LEAST, KT_OP_JUMP_UNLESS,
    KT_OP_JUMP, KT_OPS, KT_OP_MOVE = KT_OPS
};

#define KT_NAME_OF(name, ...) KT_LAW_##name,
enum { KT_ARGUMENTS(KT_NAME_OF) KT_LAW_ARGUMENTS };
enum { KT_SIDES(KT_NAME_OF) KT_LAW_SIDES };
enum { KT_CURVES(KT_NAME_OF) KT_LAW_CURVES };

#endif
