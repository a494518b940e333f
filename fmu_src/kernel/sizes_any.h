/* The sizes of a model as its file says. */
#ifndef KINETAB_SIZES_ANY_H
#define KINETAB_SIZES_ANY_H

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
#define WHEELS m->wheels
#define TRACKS m->tracks
#define BENDS m->bends
#define CARDANS m->cardans
#define DEVICES m->devices
#define CONNECTIONS m->connections
#define STATES m->states
#define GROWING m->has_slopes
#define LEAVING_OF(k) (k)->m->leaving
#define NZ_MOST KT_MOST_Z
#define GRIDS_MOST KT_MOST_GRIDS
#define CORNERS_MOST 1000 /* (degree + 1)^axes of a block */

#endif
