/* The sizes of a model, as its file says: the kernel for any model.  `bake` puts a header in the place of this one that has
 * them as constants, written by kernel_shape.py, and so makes the kernel for the shape of one model. */
#ifndef KINETAB_SIZES_H
#define KINETAB_SIZES_H

#define SHAPED 0
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
