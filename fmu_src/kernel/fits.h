/* Whether a model has the shape that the kernel was compiled for: the same list of sizes, blocks and runs that reading them
 * follows (see rows.h), held against those of the model file. */

#if !SHAPED
static int fits(const Model *m) { return (void)m, 1; }
#else
static int same_block(const Chart *c, const BlockShape *b) {
    if (b->number >= c->blocks) return 0;
    const BlockShape own = shape_of(c, b->number);
    int same = own.nb == b->nb && own.degree == b->degree && own.in_powers == b->in_powers && corners(b->nb, b->degree) <= CORNERS_MOST;
    for (int a = 0; a < b->nb && same; a++)
        same = own.axis[a] == b->axis[a] && own.grid[a] == b->grid[a] && own.stride[a] == b->stride[a];
    return same;
}

static int same_part(const Chart *c, const Part *p, const BlockShape *b, int offset, int step, const Cells f) {
    int same = p->block == b->number && same_block(c, b) && p->offset == offset && p->step == step && p->plain == f.plain &&
               !memcmp(p->times, f.times, sizeof f.times) && (f.factor || p->all);
    for (int i = 0; f.factor && same && i < kt_factors(f.times, KT_FACTORS); i++) same = p->factor[i] == f.factor[i];
    return same;
}

#undef PART
#undef RUN
#undef GRID
#undef REGRID
#undef WEIGH
#undef CHART
#define PART(block, offset, step, cells) same = same && p < last && same_part(c, p++, &block, offset, step, cells);
#define RUN(first, count, kept_, parts_)                                                                                      \
    same = same && run < end && run->row == (first) && run->chunks == (count) && run->kept == (kept_);                        \
    if (same) {                                                                                                               \
        const Part *p = run->part, *last = p + run->parts;                                                                    \
        parts_                                                                                                                \
        same = same && p == last;                                                                                             \
        run++;                                                                                                                \
    }
#define GRID(g, axis_, degree_, needed) same = same && grids++ == (g) && (g) < c->grids && c->grid[g].axis == (axis_) && c->grid[g].degree == (degree_);
#define REGRID(g, axis_, degree_) same = same && (g) < GRIDS_MOST && (g) < c->grids && c->grid[g].axis == (axis_) && c->grid[g].degree == (degree_);
#define WEIGH(b, where) same = same && same_block(c, &b) && c->block[b.number].weighed && c->block[b.number].weights_at == (where);
#define CHART(number, ...) if (chart == (number)) { __VA_ARGS__ }

static int same_chart(const Model *m, int chart) {
    const Chart *c = m->chart + chart;
    const Run *run = c->run, *end = run + c->run_end[NS ? KT_POSES : KT_REQUEST]; /* any.c reads the others */
    int same = 1, grids = 0;
    EACH_PLACE
    EACH_MOTION
    EACH_ACROSS
    EACH_MOMENTS
    EACH_SHOWN
    EACH_POSES
    EACH_REQUEST
    EACH_REQUEST_PLACE
    return same && grids <= GRIDS_MOST && run == end;
}

static int fits(const Model *m) {
    int same = m->nf == NF && m->ns == NS && m->most_rows == ROWS && m->charts == CHARTS && m->moving == MOVING &&
               m->quasistatic == QUASISTATIC && m->midpoint == MIDPOINT && m->drives == DRIVES && m->couplings == COUPLINGS && m->wheels == WHEELS && m->tracks == TRACKS &&
               m->bends == BENDS && m->cardans == CARDANS && m->devices == DEVICES &&
               m->connections == CONNECTIONS && m->states == STATES && m->has_slopes == GROWING && m->leaving == LEAVING_OF(m);
    for (int chart = 0; chart < m->charts && same; chart++) same = same_chart(m, chart);
    return same;
}
#endif
