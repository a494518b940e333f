/* What follows from the sizes of a model, which are constants where the kernel is compiled for its shape. */
#ifndef KINETAB_SHAPE_H
#define KINETAB_SHAPE_H

#include "fields.h"
#ifdef ANY
#include "sizes_any.h"
#else
#include "sizes.h"
#endif

#define WITH_MODEL(k) const Model *m = (k)->m; (void)m /* whose sizes they are, where they are no constants */

#define NZ (NF + NS)
#define NJ (NZ * (NZ + 1) / 2)
#define WIDE ((NZ + LANES - 1) / LANES * LANES) /* rows of matrices */
#define WIDE_MOST ((NZ_MOST + LANES - 1) / LANES * LANES)
#define MOVED (QUASISTATIC ? NF : NZ) /* coordinates that have inertia; they come first */

#endif
