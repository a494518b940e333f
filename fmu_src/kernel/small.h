/* The Runge-Kutta step of a small model in one piece: no stiff coordinates, one chart, a fixed ground, nothing driven, no
 * moments.  The equations are those of motion.c; with the number of coordinates known, everything stays in registers.
 * Included once per kind of processor, after hot.h. */

/* Force on a measure. */
INLINE TARGET double NAME(small_force)(const kt_instance *k, int measure, double s, double sdot) {
    double f = k->push[measure] - k->stiffness[measure] * s - k->damping[measure] * sdot;
    for (const struct Bend *bend = k->model.bend, *end = bend + k->model.bends; bend < end; bend++)
        if (bend->measure == measure) f += kt_law_force(bend->law, k->parameters, s, sdot);
    return f;
}

/* Eight columns of a block over two axes from (p + 1) x (p + 1) coefficients, in chains of even and odd ones. */
INLINE TARGET void NAME(small_plane)(const Piece *piece, const double *basis, const int *span, const int p, eight *v,
                                     eight *g) {
    const int *grid = piece->grid;
    const double *M = basis + (size_t)grid[0] * 16, *N = basis + (size_t)grid[1] * 16;
    const size_t s = piece->stride[1];
    const double *c = piece->table + (size_t)span[grid[0]] * piece->stride[0] + (size_t)span[grid[1]] * s;
    eight n[6], d[6], value[2] = {ZERO8, ZERO8}, slope0[2] = {ZERO8, ZERO8}, slope1[2] = {ZERO8, ZERO8};
    for (int i = 0; i <= p; i++) {
        n[i] = ZERO8 + N[i];
        d[i] = ZERO8 + N[8 + i];
    }
    for (int e = 0; e <= p; e++, c += piece->stride[0]) {
        const eight c0 = LOAD8(c), c1 = LOAD8(c + s);
        eight t[2] = {n[0] * c0, n[1] * c1}, u[2] = {d[0] * c0, d[1] * c1};
        for (int i = 2; i <= p; i++) {
            const eight x = LOAD8(c + (size_t)i * s);
            t[i % 2] += n[i] * x;
            u[i % 2] += d[i] * x;
        }
        value[e % 2] += M[e] * (t[0] + t[1]);
        slope0[e % 2] += M[8 + e] * (t[0] + t[1]);
        slope1[e % 2] += M[e] * (u[0] + u[1]);
    }
    *v = value[0] + value[1];
    g[0] = slope0[0] + slope0[1];
    g[1] = slope1[0] + slope1[1];
}

/* Values and slopes of all rows that the motion needs, in the slots. */
INLINE TARGET int NAME(small_rows)(kt_instance *k, const int nz, const double *z) {
    const Model *m = &k->model;
    const Chart *c = m->chart;
    double t[KT_MOST_GRIDS], per_length[KT_MOST_GRIDS];
    for (int i = 0; i < c->grids; i++) {
        const Grid *g = c->grid + i;
        const Axis *a = c->axis + g->axis;
        double x = z[g->axis];
        const int p = g->degree;
        int span = k->span[i] + p;
        if (!(x >= g->knots[span] && x < g->knots[span + 1])) {
            if (!(x >= a->lower && x <= a->upper)) return KT_ELSEWHERE; /* outside, or round once more */
            span = kt_find_span(g, x, span);
            k->span[i] = span - p;
        }
        per_length[i] = g->per_length[span - p];
        t[i] = (x - g->knots[span]) * per_length[i];
        if (g->basis_needed) {
            double *values = k->basis + (size_t)i * 16;
            NAME(basis)(g->powers + (size_t)((span - p) * (p + 1) * KT_CHUNK), p, KT_CHUNK, t[i], per_length[i], values, values + KT_CHUNK);
        }
    }
    for (int i = 0; i < c->blocks; i++) {
        const Block *b = c->block + i;
        for (int at = 0; at < b->chunks[MOTION] * KT_CHUNK; at += LANES) { /* among the columns of the motion */
            const int e = at / KT_CHUNK, lane = at % KT_CHUNK;
            const Chunk *chunk = b->chunk[MOTION] + e;
            double *to = k->V + chunk->row + lane;
            VECTOR v, g[KT_MOST_AXES];
            int grid = b->grid[0];
            if (b->nb == 0) {
                v = LOAD(b->coefficients + at);
            } else if (b->powers) {
                const double *p = b->powers + ((size_t)k->span[grid] * (size_t)b->chunks[MOTION] + (size_t)e) * 48 + lane;
                double x = t[grid], xx = x * x;
                VECTOR p1 = LOAD(p + 8), p2 = LOAD(p + 16), p3 = LOAD(p + 24), p4 = LOAD(p + 32), p5 = LOAD(p + 40);
                VECTOR high = p4 + x * p5, middle = p2 + x * p3, low = LOAD(p) + x * p1;
                v = low + xx * (middle + xx * high);
                high = 4.0 * p4 + 5.0 * x * p5;
                middle = 2.0 * p2 + 3.0 * x * p3;
                g[0] = per_length[grid] * (p1 + x * middle + xx * x * high);
            } else {
                const double *N[KT_MOST_AXES], *D[KT_MOST_AXES], *from = b->coefficients + at;
                for (int a = 0; a < b->nb; a++) {
                    N[a] = k->basis + (size_t)b->grid[a] * 16;
                    D[a] = N[a] + KT_CHUNK;
                    from += (size_t)k->span[b->grid[a]] * b->stride[a];
                }
                NAME(columns)(from, b, N, D, c->grid[b->grid[0]].degree, &v, g);
            }
            NAME(put)(to, &v, chunk->first);
            for (int a = 0; a < nz && chunk->first && b->nb < nz; a++) STORE(to + (size_t)(1 + a) * m->most_rows, ZERO);
            for (int a = 0; a < b->nb; a++)
                NAME(put)(to + (nz == 1 ? 1 : (size_t)(1 + c->grid[b->grid[a]].axis)) * m->most_rows, g + a, chunk->first);
        }
    }
    return OK;
}

/* zdd at z, zd; `load` are gravity and the forces on ports. */
INLINE TARGET int NAME(small_acceleration)(kt_instance *k, const int nz, const double *z, const double *zd,
                                           const double *load, int length, const double *inputs, double *zdd) {
    const Model *m = &k->model;
    size_t rows = m->most_rows;
    int status = NAME(small_rows)(k, nz, z), n = nz * (nz + 1) / 2, first = m->chart->s;
    if (status) return status;
    const double *V = k->V;
    double force[3], J[6];
    for (int j = 0; j < nz; j++) force[j] = NAME(dot)(V + (size_t)(1 + j) * rows, load, length);
    for (int i = 0; i < m->active; i++) {
        const double *at = V + first + i;
        double sdot = 0.0;
        for (int j = 0; j < nz; j++) sdot += zd[j] * at[(size_t)(1 + j) * rows];
        double f = NAME(small_force)(k, i, at[0], sdot);
        for (int j = 0; j < nz; j++) force[j] += f * at[(size_t)(1 + j) * rows];
    }
    for (int i = 0; i < m->forced; i++) force[m->forced_axis[i]] += inputs[i];
    for (int i = 0, e = 0; i < nz; i++)
        for (int j = i; j < nz; j++, e++) {
            double rate = 0.0, twice = (i == j ? 0.5 : 1.0) * zd[i] * zd[j];
            for (int d = 0; d < nz; d++) {
                double slope = V[(size_t)(1 + d) * rows + (size_t)e];
                rate += zd[d] * slope;
                force[d] += twice * slope;
            }
            force[i] -= rate * zd[j];
            if (j != i) force[j] -= rate * zd[i];
        }
    for (int e = 0; e < n; e++) J[e] = V[e];
    if (nz == 1) {
        if (!(J[0] > 0.0 && J[0] < HUGE_VAL)) return KT_ELSEWHERE;
        zdd[0] = force[0] / J[0];
    } else if (nz == 2) {
        double det = J[0] * J[2] - J[1] * J[1];
        if (!(J[0] > 0.0 && det > 0.0 && det < HUGE_VAL)) return KT_ELSEWHERE;
        double per = 1.0 / det;
        zdd[0] = (J[2] * force[0] - J[1] * force[1]) * per;
        zdd[1] = (J[0] * force[1] - J[1] * force[0]) * per;
    } else {
        double d0 = J[0], l1 = J[1] / d0, l2 = J[2] / d0, d1 = J[3] - l1 * J[1], u = J[4] - l1 * J[2], l3 = u / d1;
        double d2 = J[5] - l2 * J[2] - l3 * u;
        if (!(d0 > 0.0 && d1 > 0.0 && d2 > 0.0 && d2 < HUGE_VAL)) return KT_ELSEWHERE;
        double y1 = force[1] - l1 * force[0], y2 = force[2] - l2 * force[0] - l3 * y1;
        zdd[2] = y2 / d2;
        zdd[1] = y1 / d1 - l3 * zdd[2];
        zdd[0] = force[0] / d0 - l1 * zdd[1] - l2 * zdd[2];
    }
    return OK;
}

INLINE TARGET int NAME(small_step)(kt_instance *k, const int nz, State *state, double h) {
    const Model *m = &k->model;
    const Chart *c = m->chart;
    const double *inputs = k->inputs;
    const int stages = m->stages;
    double *load = k->load, y[6], at[6], rate[6], sum[6] = {0};
    int length = padded(c->s);
    for (int i = 0; i < length; i++) load[i] = 0.0;
    for (int i = 0; i < 3; i++)
        if (c->S[i] < c->s) load[c->S[i]] = k->parameters[m->gravity[i]];
    for (int p = 0; p < m->ports; p++)
        for (int i = 0; i < 3; i++) load[c->marker[m->port[p]].r + i] += inputs[m->loads + 6 * p + i];
    for (int i = 0; i < nz; i++) {
        at[i] = y[i] = state->z[i];
        at[nz + i] = y[nz + i] = state->zd[i];
    }
    k->read_chart = -1; /* the slots are used here */
    for (int stage = 0; stage < stages; stage++) {
        double step = h * kt_next(stages, stage), weight = kt_weight(stages, stage);
        int status = NAME(small_acceleration)(k, nz, at, at + nz, load, length, inputs, rate + nz);
        if (status) return status;
        for (int i = 0; i < nz; i++) rate[i] = at[nz + i];
        for (int i = 0; i < 2 * nz; i++) {
            sum[i] += weight * rate[i];
            at[i] = y[i] + step * rate[i];
        }
    }
    for (int i = 0; i < nz; i++) {
        state->z[i] = y[i] + h * sum[i];
        state->zd[i] = y[nz + i] + h * sum[nz + i];
    }
    return OK;
}

/* The same for one coordinate whose rows are all over one grid: the table is read without basis functions. */
static TARGET int NAME(line_step)(kt_instance *k, State *state, double h) {
    const Model *m = &k->model;
    const Chart *c = m->chart;
    const Grid *g = c->grid;
    const double *knots = g->knots, *p = k->parameters;
    const int stages = m->stages, chunks = c->end[MOTION] / KT_CHUNK, s_at = c->s, J_at = c->J, measures = m->active;
    double load[4 * KT_CHUNK] = {0}, value[4 * KT_CHUNK], slope[4 * KT_CHUNK], push = 0.0;
    double y = state->z[0], yd = state->zd[0], z = y, zd = yd, sum = 0.0, sum_d = 0.0;
    for (int i = 0; i < 3; i++)
        if (c->S[i] < s_at) load[c->S[i]] = p[m->gravity[i]];
    for (int i = 0; i < m->ports; i++)
        for (int j = 0; j < 3; j++) load[c->marker[m->port[i]].r + j] += k->inputs[m->loads + 6 * i + j];
    if (m->forced) push = k->inputs[0];
    int span = k->span[0];
    k->read_chart = -1; /* the span is used here */
    for (int stage = 0; stage < stages; stage++) {
        if (!(z >= knots[span + 5] && z < knots[span + 6])) {
            if (!(z >= c->axis->lower && z <= c->axis->upper)) return KT_ELSEWHERE; /* outside, or round once more */
            span = kt_find_span(g, z, span + 5) - 5;
        }
        double per_length = g->per_length[span], x = (z - knots[span + 5]) * per_length, xx = x * x;
        const double *from = m->line + (size_t)span * (size_t)chunks * 48;
        eight force = ZERO8;
        for (int n = 0; n < chunks; n++, from += 48) {
            eight p1 = LOAD8(from + 8), p2 = LOAD8(from + 16), p3 = LOAD8(from + 24), p4 = LOAD8(from + 32), p5 = LOAD8(from + 40);
            eight d = ((p1 + 2.0 * x * p2) + xx * ((3.0 * p3 + 4.0 * x * p4) + 5.0 * xx * p5)) * per_length;
            STORE8(value + n * KT_CHUNK, (LOAD8(from) + x * p1) + xx * ((p2 + x * p3) + xx * (p4 + x * p5)));
            STORE8(slope + n * KT_CHUNK, d);
            force += d * LOAD8(load + n * KT_CHUNK);
        }
        double J = value[J_at], per = 1.0 / J, Q = push - 0.5 * slope[J_at] * zd * zd;
        if (!(J > 0.0 && J < HUGE_VAL)) return KT_ELSEWHERE;
        for (int i = 0; i < measures; i++) {
            double ds = slope[s_at + i];
            Q += NAME(small_force)(k, i, value[s_at + i], ds * zd) * ds;
        }
        double zdd = (Q + NAME(sum_eight)(&force)) * per, step = h * kt_next(stages, stage), weight = kt_weight(stages, stage);
        sum += weight * zd;
        sum_d += weight * zdd;
        z = y + step * zd;
        zd = yd + step * zdd;
    }
    k->span[0] = span;
    state->z[0] = y + h * sum;
    state->zd[0] = yd + h * sum_d;
    return OK;
}

static TARGET int NAME(step_1)(kt_instance *k, State *state, double h) {
    if (k->model.line && k->model.chart->end[MOTION] <= 4 * KT_CHUNK) return NAME(line_step)(k, state, h);
    return NAME(small_step)(k, 1, state, h);
}
typedef struct { double value[2 * KT_CHUNK], slope[2][2 * KT_CHUNK]; } NAME(Rows);

/* Up to 16 rows of a model with two coordinates, and their slopes. */
INLINE TARGET int NAME(plane_rows)(const Model *m, const double *z, int *span, NAME(Rows) *rows) {
    const Chart *c = m->chart;
    const int grids = c->grids;
    double t[KT_MOST_GRIDS], per_length[KT_MOST_GRIDS];
    double basis[KT_MOST_GRIDS * 2 * KT_CHUNK]; /* here, so that the compiler knows that nothing else is written */
    for (int i = 0; i < grids; i++) {
        const Grid *g = c->grid + i;
        double x = z[g->axis];
        const int p = g->degree;
        const double *knot = g->knots + span[i] + p;
        if (!(x >= knot[0] && x < knot[1])) {
            if (!(x >= c->axis[g->axis].lower && x <= c->axis[g->axis].upper)) return KT_ELSEWHERE;
            span[i] = kt_find_span(g, x, span[i] + p) - p;
            knot = g->knots + span[i] + p;
        }
        per_length[i] = g->per_length[span[i]];
        t[i] = (x - knot[0]) * per_length[i];
        if (g->basis_needed) {
            double *values = basis + (size_t)i * 16;
            if (p == 3) NAME(basis)(g->powers + (size_t)span[i] * 32, 3, KT_CHUNK, t[i], per_length[i], values, values + KT_CHUNK);
            else NAME(basis)(g->powers + (size_t)span[i] * 48, 5, KT_CHUNK, t[i], per_length[i], values, values + KT_CHUNK);
        }
    }
    for (int n = 0; n < 2; n++) {
        eight V = LOAD8(m->plane + n * KT_CHUNK), V0 = ZERO8, V1 = ZERO8;
        for (const Piece *piece = m->piece[n], *end = piece + m->pieces[n]; piece < end; piece++) {
            const int grid = piece->grid[0];
            if (piece->kind == LINE) {
                const eight slope = LOAD8(piece->table + KT_CHUNK);
                V += LOAD8(piece->table) + z[piece->axis] * slope;
                if (piece->axis) V1 += slope;
                else V0 += slope;
                continue;
            }
            if (piece->kind == PLANE) {
                eight v, g[2];
                if (c->grid[grid].degree == 3) NAME(small_plane)(piece, basis, span, 3, &v, g);
                else NAME(small_plane)(piece, basis, span, 5, &v, g);
                V += v;
                V0 += g[0];
                V1 += g[1];
                continue;
            }
            const double *from = piece->table + (size_t)span[grid] * piece->between, x = t[grid], xx = x * x;
            eight p1 = LOAD8(from + 8), p2 = LOAD8(from + 16), p3 = LOAD8(from + 24), p4 = LOAD8(from + 32), p5 = LOAD8(from + 40);
            eight d = ((p1 + 2.0 * x * p2) + xx * ((3.0 * p3 + 4.0 * x * p4) + 5.0 * xx * p5)) * per_length[grid];
            V += (LOAD8(from) + x * p1) + xx * ((p2 + x * p3) + xx * (p4 + x * p5));
            if (piece->axis) V1 += d;
            else V0 += d;
        }
        STORE8(rows->value + n * KT_CHUNK, V);
        STORE8(rows->slope[0] + n * KT_CHUNK, V0);
        STORE8(rows->slope[1] + n * KT_CHUNK, V1);
    }
    return OK;
}

/* The same for two coordinates and up to 16 rows.  Where a stage is does not depend on the acceleration of the one before
 * it, so its rows are read before that is found: neither waits for the other. */
static TARGET int NAME(plane_step)(kt_instance *k, State *state, double h) {
    const Model *m = &k->model;
    const Chart *c = m->chart;
    const double *p = k->parameters;
    const int stages = m->stages, s_at = c->s, grids = c->grids, measures = m->active, forced = m->forced;
    double load[2 * KT_CHUNK] = {0}, push[2] = {0.0, 0.0};
    int span[KT_MOST_GRIDS];
    const double y[4] = {state->z[0], state->z[1], state->zd[0], state->zd[1]};
    double zd0 = y[2], zd1 = y[3], sum[4] = {0};
    NAME(Rows) both[2];
    for (int i = 0; i < 3; i++)
        if (c->S[i] < s_at) load[c->S[i]] = p[m->gravity[i]];
    for (int i = 0; i < m->ports; i++)
        for (int j = 0; j < 3; j++) load[c->marker[m->port[i]].r + j] += k->inputs[m->loads + 6 * i + j];
    for (int i = 0; i < forced; i++) push[m->forced_axis[i]] = k->inputs[i];
    for (int i = 0; i < grids; i++) span[i] = k->span[i];
    if (NAME(plane_rows)(m, y, span, both)) return KT_ELSEWHERE;
    for (int stage = 0; stage < stages; stage++) {
        const NAME(Rows) *rows = both + stage % 2;
        const double step = h * kt_next(stages, stage), weight = kt_weight(stages, stage);
        const double next[2] = {y[0] + step * zd0, y[1] + step * zd1};
        if (stage + 1 < stages && NAME(plane_rows)(m, next, span, both + (stage + 1) % 2)) return KT_ELSEWHERE;
        eight force0 = ZERO8, force1 = ZERO8;
        for (int n = 0; n < 2; n++) {
            force0 += LOAD8(rows->slope[0] + n * KT_CHUNK) * LOAD8(load + n * KT_CHUNK);
            force1 += LOAD8(rows->slope[1] + n * KT_CHUNK) * LOAD8(load + n * KT_CHUNK);
        }
        double Q0 = push[0], Q1 = push[1];
        for (int i = s_at; i < s_at + measures; i++) {
            double d0 = rows->slope[0][i], d1 = rows->slope[1][i];
            double f = NAME(small_force)(k, i - s_at, rows->value[i], zd0 * d0 + zd1 * d1);
            Q0 += f * d0;
            Q1 += f * d1;
        }
        const double *d0 = rows->slope[0], *d1 = rows->slope[1], *J = rows->value; /* of J first */
        double square = 0.5 * zd0 * zd0, mixed = zd0 * zd1, other = 0.5 * zd1 * zd1;
        Q0 += NAME(sum_eight)(&force0) + ((other * (d0[2] - 2.0 * d1[1]) - square * d0[0]) - mixed * d1[0]);
        Q1 += NAME(sum_eight)(&force1) + ((square * (d1[0] - 2.0 * d0[1]) - other * d1[2]) - mixed * d0[2]);
        double det = J[0] * J[2] - J[1] * J[1], per = 1.0 / det;
        if (!(J[0] > 0.0 && det > 0.0 && det < HUGE_VAL)) return KT_ELSEWHERE;
        double zdd0 = (J[2] * Q0 - J[1] * Q1) * per, zdd1 = (J[0] * Q1 - J[1] * Q0) * per;
        sum[0] += weight * zd0;
        sum[1] += weight * zd1;
        sum[2] += weight * zdd0;
        sum[3] += weight * zdd1;
        zd0 = y[2] + step * zdd0;
        zd1 = y[3] + step * zdd1;
    }
    k->read_chart = -1; /* the spans are used elsewhere too */
    for (int i = 0; i < grids; i++) k->span[i] = span[i];
    for (int i = 0; i < 2; i++) {
        state->z[i] = y[i] + h * sum[i];
        state->zd[i] = y[2 + i] + h * sum[2 + i];
    }
    return OK;
}

static TARGET int NAME(step_2)(kt_instance *k, State *state, double h) {
    return k->model.plane ? NAME(plane_step)(k, state, h) : NAME(small_step)(k, 2, state, h);
}
static TARGET int NAME(step_3)(kt_instance *k, State *state, double h) { return NAME(small_step)(k, 3, state, h); }

static const Hot NAME(hot) = {NAME(basis), NAME(read_values), NAME(read_all), NAME(combine), NAME(pull), NAME(dots), NAME(quadratic), NAME(unpack),
                              NAME(momenta), NAME(squares), NAME(add_matrices), NAME(invert), NAME(multiply), NAME(stage), NAME(powers),
                              TWELVE,
                              {NAME(step_1), NAME(step_2), NAME(step_3)}};
