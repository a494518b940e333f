/* The sizes of a model.  This is the kernel for any model; `bake` puts a header in the place of this one that has them as
 * constants, written by kernel_shape.py, and so makes the kernel for the shape of one model. */
#include "sizes_any.h"
