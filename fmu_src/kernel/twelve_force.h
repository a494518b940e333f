/* What accelerates nine to twelve coordinates, in one pass over the tables' rows; after twelve.h. */

/* Sums over each of twelve vectors of eight. */
INLINE TARGET Vector12 sums_12(eight *x) {
    eight r[8], rest[4] = {x[8], x[9], x[10], x[11]};
    four turned[8];
    EACH for (int i = 0; i < 8; i++) r[i] = x[i];
    turn_avx512(r);
    turn_8_to_4(rest, turned);
    return (Vector12){((r[0] + r[4]) + (r[1] + r[5])) + ((r[2] + r[6]) + (r[3] + r[7])),
                      ((turned[0] + turned[4]) + (turned[1] + turned[5])) +
                          ((turned[2] + turned[6]) + (turned[3] + turned[7]))};
}

/* Eight of the products u_i u_j, halved where i is j. */
INLINE TARGET eight products(const Entries *entry, eight u0, eight u1) {
    return LOAD8(entry->half) * (eight)_mm512_permutex2var_pd(u0, _mm512_loadu_si512(entry->row), u1) *
           (eight)_mm512_permutex2var_pd(u0, _mm512_loadu_si512(entry->column), u1);
}

/* Some chunks of rows: part += weights of each slot, which are loads and, in rows of J, 1/2 u_i u_j twice. */
INLINE TARGET void add_parts(const Force12 *s, const double *zd, eight u0, eight u1, int begin, int end, const int slopes,
                             eight *part) {
    const int rates = begin < s->inertia;
    for (int e = begin; e < end; e += 8) {
        eight weight = LOAD8(s->load + e), sum = ZERO8, other = ZERO8;
        if (rates) weight += products(s->entries + e / 8, u0, u1);
        EACH for (int k = 0; k < slopes; k++) {
            if (k >= 8 && k >= s->n) continue;
            const eight x = LOAD8(s->slots + (size_t)k * s->rows + e);
            if (rates && k % 2) other += zd[k] * x;
            else if (rates) sum += zd[k] * x;
            part[k] += weight * x;
        }
        if (rates) STORE8(s->rate + e, sum + other);
    }
}

/* The same of chunks of J that are still to be read, over one axis; and their values.  p: the degree over deflections. */
INLINE TARGET void add_inertia(const Force12 *s, const double *zd, eight u0, eight u1, const int p, eight *part) {
    const Line rest = s->rest, each = s->each;
    const double *from = each.from, *d = s->z + 1;
    eight N[4], D[4];
    EACH for (int e = 0; e <= p; e++) {
        N[e] = ZERO8 + each.N[e];
        D[e] = ZERO8 + each.D[e];
    }
    for (int c = 0; c < s->unread; c++) {
        const eight weight = products(s->entries + c, u0, u1);
        eight sum[4], rate = ZERO8, value = ZERO8, slope = ZERO8;
        EACH for (int e = 0; e <= p; e++) sum[e] = ZERO8;
        for (int e = 0; e <= rest.degree; e++) {
            const eight x = LOAD8(rest.from + (size_t)e * rest.stride + 8 * c);
            value += rest.N[e] * x;
            slope += rest.D[e] * x;
        }
        EACH for (int k = 1; k < ROWS; k++) {
            if (k >= 8 && k >= s->n) continue;
            eight v = ZERO8;
            EACH for (int e = 0; e <= p; e++) {
                eight x = LOAD8(from + (size_t)e * each.stride);
                HOLD(x); /* it is used twice */
                v = e ? v + N[e] * x : N[e] * x;
                sum[e] += d[k - 1] * x;
            }
            rate += zd[k] * v;
            part[k] += weight * v;
            from += 8;
        }
        EACH for (int e = 0; e <= p; e++) {
            value += N[e] * sum[e];
            slope += D[e] * sum[e];
        }
        part[0] += weight * slope;
        STORE8(s->rate + 8 * c, rate + zd[0] * slope);
        STORE8(s->J + 8 * c, value);
    }
}

/* force = loads times slopes of the rows they act on - (d/dt J) u + 1/2 u (dJ/dz) u + Q0 - K0 z - C0 zd. */
static TARGET void force_12(const Force12 *s) {
    double zd[ROWS + 4], u[ROWS + 4] = {0};
    const int mixed = (s->inertia + 7) / 8 * 8;
    int done = s->bent ? 8 * s->unread : s->inertia / 8 * 8;
    eight part[ROWS];
    Matrix12 rate;
    store_12(zd, load_first(s->zd, s->n));
    store_12(u, load_first(s->u, s->n));
    const eight u0 = LOAD8(u), u1 = LOAD8(u + 8);
    EACH for (int k = 0; k < ROWS; k++) part[k] = ZERO8;
    IN_MEMORY(zd);
    if (s->unread && s->each.degree == 1) add_inertia(s, zd, u0, u1, 1, part);
    else if (s->unread) add_inertia(s, zd, u0, u1, 3, part);
    else if (s->axes == 1) add_parts(s, zd, u0, u1, 0, done, 1, part);
    else add_parts(s, zd, u0, u1, 0, done, 2, part);
    add_parts(s, zd, u0, u1, done, mixed, ROWS, part);
    add_parts(s, zd, u0, u1, mixed, s->end, ROWS, part);
    unpack_12(s->rate, s->n, &rate);
    Vector12 force = add_12(sums_12(part), -1.0, multiply_12(&rate, u));
    if (s->Q0) {
        double z[ROWS];
        store_12(z, load_first(s->z, s->n));
        force = add_12(force, 1.0, load_12(s->Q0));
        force = add_12(force, -1.0, multiply_wide_12(s->K0, z));
        force = add_12(force, -1.0, multiply_wide_12(s->C0, zd));
    }
    store_12(s->force, force);
}
