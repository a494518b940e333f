/* The steps and outputs of a model, for one family of processors; compiled once for each with NAME, and for the shape of a
 * model if SHAPE names a header. */
#include "kernel.h"
#include "shape.h"
#include "vectors.h"
#include "tables.h"
#include "rows.h"
#include "motion.h"
#include "explicit.h"
#include "implicit.h"
#include "quasistatic.h"
#include "charts.h"
#include "outputs.h"

#define GLUED(name) kt_hot_##name
#define HOT(name) GLUED(name)
#ifndef NAME
#define NAME plain
#endif

extern const Hot HOT(NAME);
const Hot HOT(NAME) = {advance, start, show};
