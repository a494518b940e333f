/* Formulas of devices: whether they can be run, and how they are: as moves from values to values.
 *
 * In a file a formula is a program for a stack, see programs.py.  Where a number lies on the stack is known beforehand, so
 * here each operation takes its arguments from where they are, a slot or a constant or a former result, and puts its result
 * to a place of its depth.  What is computed, and in which order, is the same.
 */
#include "kernel.h"

/* --- checks ------------------------------------------------------------------------------------------------------- */

/* How many entries of the stack an operation takes. */
static int arguments_of(int op) {
    switch (op) {
    case KT_OP_NUMBER: case KT_OP_SLOT: case KT_OP_JUMP: return 0;
    case KT_OP_WHOLE_POWER: case KT_OP_NEGATE: case KT_OP_ABS: case KT_OP_SQRT: case KT_OP_EXP: case KT_OP_LOG:
    case KT_OP_SIN: case KT_OP_COS: case KT_OP_TANH: case KT_OP_TABLE: case KT_OP_JUMP_UNLESS: return 1;
    default: return 2;
    }
}

/* Whether the operand of an operation is possible. */
static int operand_fits(int op, int operand, int constants, int slots, int tables) {
    switch (op) {
    case KT_OP_NUMBER: return operand >= 0 && operand < constants;
    case KT_OP_SLOT: return operand >= 0 && operand < slots;
    case KT_OP_TABLE: return operand >= 0 && operand < tables;
    case KT_OP_WHOLE_POWER: return operand >= -KT_MOST_POWER && operand <= KT_MOST_POWER;
    default: return 1;
    }
}

/* Whether a formula can be run: `problem` of programs.py. */
int kt_formula_fits(const Formula *f, int constants, int slots, int tables) {
    enum { NOBODY = -1 };
    int arriving[KT_MOST_INSTRUCTIONS + 1], depth = 0; /* of the stack; NOBODY behind a jump, until another one arrives */
    if (f->count < 1 || f->count > KT_MOST_INSTRUCTIONS) return 0;
    for (int i = 0; i <= f->count; i++) arriving[i] = NOBODY;
    for (int i = 0; i < f->count; i++) {
        const int op = f->code[2 * i], operand = f->code[2 * i + 1];
        const int jumps = op == KT_OP_JUMP || op == KT_OP_JUMP_UNLESS;
        if (arriving[i] != NOBODY && depth != NOBODY && depth != arriving[i]) return 0;
        if (arriving[i] != NOBODY) depth = arriving[i];
        if (depth == NOBODY || op < 0 || op >= KT_OPS || depth < arguments_of(op)) return 0;
        if (!operand_fits(op, operand, constants, slots, tables)) return 0;
        depth += !jumps - arguments_of(op);
        if (depth > KT_MOST_DEPTH) return 0;
        if (!jumps) continue;
        if (operand <= i || operand > f->count) return 0;
        if (arriving[operand] != NOBODY && arriving[operand] != depth) return 0;
        arriving[operand] = depth;
        if (op == KT_OP_JUMP) depth = NOBODY;
    }
    const int last = arriving[f->count];
    return depth == NOBODY ? last == 1 : depth == 1 && (last == NOBODY || last == 1);
}

/* --- moves -------------------------------------------------------------------------------------------------------- */

typedef struct {
    const Device *d;
    Move *out;
    int depth, at[KT_MOST_DEPTH]; /* of the stack: where each entry lies */
} Writer;

/* Where the slot of a device lies among the values of all. */
int kt_value_of(const Device *d, int slot) {
    const int given = kt_given(d);
    return d->at + (slot < d->active ? slot : slot < d->active + given ? d->flat + slot - d->active : slot - given);
}

/* The place of a result at a depth of the stack: behind the values of formulas. */
static int place_of(const Device *d, int depth) { return d->at + d->active + d->formulas + depth; }

/* Where the row of slopes of a value begins: what does not change over a step shares one of zeros. */
static int row_of(const Device *d, int value) {
    const int own = value - d->at;
    return (own < d->flat ? own : d->flat) * d->stride;
}

static void put(Writer *w, int op, int to, int a, int b) {
    const Device *d = w->d;
    *w->out++ = (Move){op, to, a, b, row_of(d, to), row_of(d, a), row_of(d, b)};
}

/* Everything on the stack in the place of its depth: where ways part, or meet. */
static void settle(Writer *w) {
    for (int i = 0; i < w->depth; i++) {
        const int place = place_of(w->d, i);
        if (w->at[i] == place) continue;
        put(w, KT_OP_MOVE, place, w->at[i], 0);
        w->at[i] = place;
    }
}

/* An operation of the file, which fits. */
static void write_operation(Writer *w, int op, int operand) {
    const int taken = arguments_of(op);
    if (op == KT_OP_NUMBER) w->at[w->depth++] = w->d->at + w->d->fixed + operand;
    else if (op == KT_OP_SLOT) w->at[w->depth++] = kt_value_of(w->d, operand);
    else if (op == KT_OP_JUMP || op == KT_OP_JUMP_UNLESS) {
        w->depth -= taken;
        const int condition = w->at[w->depth];
        settle(w);
        put(w, op, operand, taken ? condition : 0, 0);
    } else {
        w->depth -= taken;
        const int *from = w->at + w->depth, place = place_of(w->d, w->depth);
        put(w, op, place, from[0], taken == 2 ? from[1] : op == KT_OP_TABLE ? w->d->first_curve + operand : operand);
        w->at[w->depth++] = place;
    }
}

/* The formula number `number` as moves; jumps lead to moves, counted from `start`.  Settling leaves a condition where it is: its
 * place is above. */
static Move *write_formula(const Device *d, int number, const Move *start, Move *out) {
    const Formula *f = d->formula + number;
    Writer w = {.d = d, .out = out};
    int depth_at[KT_MOST_INSTRUCTIONS + 1], place[KT_MOST_INSTRUCTIONS + 1];
    for (int i = 0; i <= f->count; i++) depth_at[i] = -1;
    for (int i = 0; i <= f->count; i++) {
        const int op = i < f->count ? f->code[2 * i] : -1, operand = i < f->count ? f->code[2 * i + 1] : 0;
        if (depth_at[i] >= 0) { /* others arrive here, settled */
            if (w.depth >= 0) settle(&w);
            w.depth = depth_at[i];
            for (int e = 0; e < w.depth; e++) w.at[e] = place_of(d, e);
        }
        place[i] = (int)(w.out - start);
        if (op < 0) break;
        write_operation(&w, op, operand);
        if (op == KT_OP_JUMP || op == KT_OP_JUMP_UNLESS) depth_at[operand] = w.depth;
        if (op == KT_OP_JUMP) w.depth = -1;
    }
    const int value = d->at + d->active + number;
    Move *last = w.out - 1;
    if (w.out > out && depth_at[f->count] < 0 && last->to == w.at[0] && w.at[0] == place_of(d, 0)) {
        last->to = value;
        last->row = row_of(d, value);
    } else
        put(&w, KT_OP_MOVE, value, w.at[0], 0);
    for (Move *i = out; i < w.out; i++)
        if (i->op == KT_OP_JUMP || i->op == KT_OP_JUMP_UNLESS) i->to = place[i->to];
    return w.out;
}

/* The moves of all formulas of a device, behind those of others that begin at `start`, in memory for as many as the file has
 * operations, and one more each: what is put somewhere when ways part was not, when it was put on the stack. */
Move *kt_write_moves(Device *d, const Move *start, Move *out) {
    int *ends = (int *)d->ends; /* ours still */
    d->move = d->outer = out;
    for (int i = 0; i < d->formulas; i++) {
        out = write_formula(d, i, start, out);
        ends[i] = (int)(out - start);
        if (i + 1 == d->inner) d->outer = out;
    }
    return out;
}
