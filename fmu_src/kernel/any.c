/* Reading rows of any model, whatever the shape: what is not read at every step. */
#define ANY
#define LANES 2
#include "kernel.h"
#include "shape.h"
#include "vectors.h"
#include "tables.h"
#include "rows.h"

int kt_read_any(Kernel *k, int chart, int need, const double *z, int mode, const Work *w) {
    Place place;
    int status = find_places(k, chart, z, &place);
    if (!status) read_need((Mode)mode, k, chart, need, &place, z, w);
    return status;
}
