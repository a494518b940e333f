/* Moments about the axes of bushings with Cardan angles: (1) and (2) of cardan.py.  Rows, linear laws, bends and couplings
 * treat them as forces on their angles; here is the difference, on measures whose slopes are kept. */

typedef struct { double c2, s2, c3, s3; } Turn; /* cosines and sines of the angles 2 and 3 */

static Turn turn_of(const double *a) {
    const Turn t = {cos(a[1]), sin(a[1]), cos(a[2]), sin(a[2])};
    return t;
}

/* w = G rates; in place. */
static void spin(const Turn *t, double *rates) {
    const double first = rates[0], third = rates[2];
    rates[0] = t->c2 * (t->c3 * first) + t->s2 * third;
    rates[1] += t->s3 * first;
    rates[2] = t->c2 * third - t->s2 * (t->c3 * first);
}

/* G^T m; in place. */
static void on_angles(const Turn *t, double *m) {
    const double first = m[0], third = m[2];
    m[0] = t->c3 * (t->c2 * first - t->s2 * third) + t->s3 * m[1];
    m[2] = t->s2 * first + t->c2 * third;
}

/* What the six elements of a bushing give at their measures and rates, couplings included. */
static void efforts_of(const Kernel *k, int first, const double *s, const double *rate, double *effort) {
    const Model *m = k->m;
    const double *p = k->parameters;
    for (int i = 0; i < 6; i++) {
        const Element *e = m->element + first + i;
        effort[i] = 0.0;
        for (int l = 0; l < e->laws; l++) effort[i] += kt_law_force(e->law + l, p, s[i], rate[i]);
    }
    for (int c = 0; c < m->couplings; c++) {
        const int a = m->coupling[c].a - first, b = m->coupling[c].b - first;
        const double stiffness = p[m->coupling[c].stiffness], damping = p[m->coupling[c].damping];
        if (a < 0 || a >= 6 || b < 0 || b >= 6) continue;
        effort[a] -= stiffness * s[b] + damping * rate[b];
        effort[b] -= stiffness * s[a] + damping * rate[a];
    }
}

/* Deflections (6) of a bushing. */
static void deflections_of(const Model *m, const RowSet *set, int lap, int first, double *s) {
    for (int i = 0; i < 6; i++) {
        const Element *e = m->element + first + i;
        s[i] = set->value[m->chart[set->chart].s + e->measure] + lap * e->lap;
    }
}

/* What comes on top of the forces (6) on its deflections, with the rates of rows, or at rest. */
static void turned_forces(const Kernel *k, const RowSet *set, int lap, int first, const int moves, double *more) {
    const Model *m = k->m;
    double s[6], rate[6], plain[6];
    deflections_of(m, set, lap, first, s);
    for (int i = 0; i < 6; i++) rate[i] = moves ? set->rate[m->chart[set->chart].s + m->element[first + i].measure] : 0.0;
    efforts_of(k, first, s, rate, plain);
    const Turn t = turn_of(s + 3);
    spin(&t, rate + 3);
    efforts_of(k, first, s, rate, more);
    on_angles(&t, more + 3);
    for (int i = 0; i < 6; i++) more[i] -= plain[i];
}

/* The same added to forces (nz). */
APART void add_turned(const Kernel *k, const RowSet *set, int lap, double *force) {
    WITH_MODEL(k);
    double more[6];
    for (int c = 0; c < CARDANS; c++) {
        turned_forces(k, set, lap, m->cardan[c], 1, more);
        for (int i = 0; i < 6; i++) {
            const int row = m->chart[set->chart].s + m->element[m->cardan[c] + i].measure;
            for (int j = 0; j < NZ; j++) force[j] += more[i] * set->slope[(size_t)j * ROWS + row];
        }
    }
}

/* Slopes (3, 6) of that at rest, over the deflections: `cardan_slopes` of laws.py. */
static void turned_slopes(const Kernel *k, const RowSet *set, int first, double slopes[3][6]) {
    const Model *m = k->m;
    const double *p = k->parameters, still[6] = {0.0};
    double s[6], effort[6], dm[6][6] = {{0.0}};
    deflections_of(m, set, 0, first, s);
    efforts_of(k, first, s, still, effort);
    for (int i = 0; i < 6; i++)
        for (int l = 0; l < m->element[first + i].laws; l++) {
            double rate = 0.0;
            kt_law_slopes(m->element[first + i].law + l, p, s[i], 0.0, &dm[i][i], &rate);
        }
    for (int c = 0; c < m->couplings; c++) {
        const int a = m->coupling[c].a - first, b = m->coupling[c].b - first;
        if (a < 0 || a >= 6 || b < 0 || b >= 6) continue;
        dm[a][b] -= p[m->coupling[c].stiffness];
        dm[b][a] -= p[m->coupling[c].stiffness];
    }
    const Turn t = turn_of(s + 3);
    for (int column = 0; column < 6; column++) {
        double on[3] = {dm[3][column], dm[4][column], dm[5][column]};
        on_angles(&t, on);
        for (int j = 0; j < 3; j++) slopes[j][column] = on[j] - dm[3 + j][column];
    }
    const double level = t.c2 * effort[3] - t.s2 * effort[5], across = t.s2 * effort[3] + t.c2 * effort[5];
    slopes[0][4] -= t.c3 * across; /* D of (2) */
    slopes[0][5] += t.c3 * effort[4] - t.s3 * level;
    slopes[2][4] += level;
}
