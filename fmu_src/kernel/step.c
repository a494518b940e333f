/* The steps and outputs of a model, for one family of processors: this file for any, step_avx2.c and step_avx512.c for
 * theirs. */
#include "kernel.h"

#ifndef FAMILY
#define FAMILY plain
#define LANES 2
#endif

#include "shape.h"
#include "vectors.h"
#include "tables.h"
#include "rows.h"
#include "fits.h"
#include "cardan.h"
#include "wheels.h"
#include "devices.h"
#include "motion.h"
#include "loads.h"
#include "matrices.h"
#include "woven.h"
#include "implicit.h"
#include "swift.h"
#include "explicit.h"
#include "quasistatic.h"
#include "charts.h"
#include "pace.h"
#include "wheel_motion.h"
#include "outputs.h"

#define GLUED(family) kt_hot_##family
#define HOT(family) GLUED(family)

const Hot HOT(FAMILY) = {fits, run, start, still_force, settled, show, fastest};
