/* The sizes of a model: constants where the kernel is compiled for its shape, by the header that SHAPE names; otherwise
 * those of the model file.  Headers hold shapes, never numbers of the model. */
#ifndef KINETAB_SHAPE_H
#define KINETAB_SHAPE_H

#include "fields.h"

#ifdef SHAPE
#include SHAPE
#else
#define NF m->nf
#define NS m->ns
#define ROWS m->most_rows
#define CHARTS m->charts
#define MOVING m->moving
#define QUASISTATIC m->quasistatic
#define MIDPOINT m->midpoint
#define DRIVES m->drives
#define COUPLINGS m->couplings
#define BENDS m->bends
#define GROWING m->has_slopes
#define LEAVING_OF(k) (k)->m->leaving
#define NZ_MOST KT_MOST_Z
#define GRIDS_MOST KT_MOST_GRIDS
#define CORNERS_MOST 1000 /* (degree + 1)^axes of a block */
#endif

#define WIDTH 16 /* room for basis functions */

#define NZ (NF + NS)
#define NJ (NZ * (NZ + 1) / 2)
#define WIDE ((NZ + LANES - 1) / LANES * LANES) /* rows of matrices */
#define WIDE_MOST ((NZ_MOST + LANES - 1) / LANES * LANES)
#define MOVED (QUASISTATIC ? NF : NZ) /* coordinates that have inertia; they come first */

#endif
