/* Wheels; see wheels.py, whose equations are named here. */

#define FLAT 1e-6 /* sine of the angle between spin axis and normal below which a wheel lies flat */

enum { WHEEL_F = 0, WHEEL_M = 3, WHEEL_TORQUE = 6, WHEEL_SPIN = 7, WHEEL_N = KT_WHEEL_NORMAL, WHEEL_D = 11 }; /* inputs, see inputs.py */

typedef struct {
    double u[3], n[3], p[3], arm[3];
    double s, raw; /* raw is the length that u had in the tables */
} Disc;

INLINE void cross(const double *a, const double *b, double *c) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

INLINE double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* y = x + factor a */
INLINE void plus(const double *x, double factor, const double *a, double *y) {
    for (int i = 0; i < 3; i++) y[i] = x[i] + factor * a[i];
}

INLINE void turned(const double *R, const double *a, double *b) {
    for (int i = 0; i < 3; i++) b[i] = dot(R + 3 * i, a);
}

INLINE const double *wheel_inputs(const Model *m, int w, const double *inputs) { return inputs + m->wheel_inputs + KT_WHEEL_INPUTS * w; }

/* (1) */
APART int find_disc(Kernel *k, int w, const double *R, const double *n, Disc *at) {
    const Wheel *wheel = k->m->wheel + w;
    const double none[3] = {0.0};
    n = n[0] != 0.0 || n[1] != 0.0 || n[2] != 0.0 ? n : wheel->axes + 6; /* up, if it is not given */
    turned(R, wheel->spin, at->u);
    at->raw = sqrt(dot(at->u, at->u));
    plus(none, 1.0 / at->raw, at->u, at->u);
    plus(none, 1.0 / sqrt(dot(n, n)), n, at->n);
    plus(at->n, -dot(at->n, at->u), at->u, at->p);
    at->s = sqrt(dot(at->p, at->p));
    if (!(at->s >= FLAT))
        return kt_fail(k, FAILED,
                       "wheel '%s' lies flat on its road: its spin axis is along 'wheel.%s.road.n', so no point of it is the "
                       "lowest; check the normal, which points away from the road",
                       wheel->name, wheel->name);
    plus(none, -wheel->radius / at->s, at->p, at->arm);
    plus(none, 1.0 / at->s, at->p, at->p);
    return OK;
}

/* M_C of (5). */
INLINE void carrier_moment(const Disc *at, const double *given, double *M) {
    double m[3];
    cross(at->arm, given + WHEEL_F, m);
    plus(m, 1.0, given + WHEEL_M, m);
    plus(m, -(dot(at->u, m) + given[WHEEL_TORQUE]), at->u, M);
}

/* Its slope, where the rotation of the marker changes by dR. */
APART void carrier_moment_slope(const Wheel *wheel, const Disc *at, const double *dR, const double *given, double *dM) {
    const double none[3] = {0.0}, *u = at->u;
    double m[3], du[3], dp[3], dm[3];
    cross(at->arm, given + WHEEL_F, m);
    plus(m, 1.0, given + WHEEL_M, m);
    turned(dR, wheel->spin, du);
    plus(none, 1.0 / at->raw, du, du);
    plus(du, -dot(du, u), u, du);
    for (int i = 0; i < 3; i++) dp[i] = -dot(du, at->n) * u[i] - dot(at->n, u) * du[i];
    plus(dp, -dot(dp, at->p), at->p, dp);
    plus(none, -wheel->radius / at->s, dp, dp);
    cross(dp, given + WHEEL_F, dm);
    for (int i = 0; i < 3; i++) dM[i] = dm[i] - (dot(du, m) + dot(dm, u)) * u[i] - (dot(u, m) + given[WHEEL_TORQUE]) * du[i];
}

/* The moment that a wheel's loads exert on its carrier at the centre, where rows are read; none if there are no loads. */
static int moment_of_wheel(Kernel *k, int w, const RowSet *set, const double *inputs, double *M) {
    const Model *m = k->m;
    const double *given = wheel_inputs(m, w, inputs);
    int loaded = 0;
    Disc at;
    for (int i = WHEEL_F; i <= WHEEL_TORQUE; i++) loaded |= given[i] != 0.0;
    M[0] = M[1] = M[2] = 0.0;
    if (!loaded) return OK;
    if (find_disc(k, w, set->value + m->chart[set->chart].marker[m->wheel[w].marker].R, given + WHEEL_N, &at)) return FAILED;
    carrier_moment(&at, given, M);
    return OK;
}

/* All that is shown of a wheel, in the order of source.py. */
static int wheel_parts(Kernel *k, int w, const RowSet *set, const double *zd, const double *inputs, double *part) {
    const Model *m = k->m;
    const Wheel *wheel = m->wheel + w;
    const MarkerRows *rows = m->chart[set->chart].marker + wheel->marker;
    const double *given = wheel_inputs(m, w, inputs), *centre = set->value + rows->r, none[3] = {0.0};
    const int nz = m->nf + m->ns;
    double omega[3] = {0.0}, v[3], x[3], y[3], ud[3], pd[3], spun[3], contact[3], moving[3], material[3], along[3];
    Disc at;
    if (find_disc(k, w, set->value + rows->R, given + WHEEL_N, &at)) return FAILED;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < nz; j++) omega[i] += set->value[rows->A + i * nz + j] * zd[j];
    memcpy(v, set->rate + rows->r, sizeof v);
    if (m->moving) {
        const double *V = inputs + m->twist;
        double carried[3];
        cross(V, centre, carried);
        for (int i = 0; i < 3; i++) {
            omega[i] += V[i];
            v[i] += V[3 + i] + carried[i];
        }
    }
    cross(at.u, at.n, x);
    plus(none, 1.0 / at.s, x, x);
    cross(at.n, x, y);
    cross(omega, at.u, ud);
    for (int i = 0; i < 3; i++) pd[i] = -dot(at.n, ud) * at.u[i] - dot(at.n, at.u) * ud[i];
    plus(pd, -dot(at.p, pd), at.p, pd);
    plus(v, -wheel->radius / at.s, pd, moving);
    plus(omega, given[WHEEL_SPIN], at.u, spun);
    cross(spun, at.arm, material);
    plus(material, 1.0, v, material);
    plus(centre, 1.0, at.arm, contact);
    turned(wheel->axes, at.u, along);
    double risen[3];
    plus(centre, -1.0, wheel->centre, risen);
    part[KT_WHEEL_TRAVEL] = dot(risen, wheel->axes + 6);
    part[KT_WHEEL_TOE] = wheel->outboard * atan2(along[0], along[1]);
    part[KT_WHEEL_CAMBER] = -wheel->outboard * atan2(along[2], hypot(along[0], along[1]));
    part[KT_WHEEL_GAP] = dot(at.n, contact) - given[WHEEL_D];
    part[KT_WHEEL_INCLINATION] = -wheel->outboard * atan2(dot(at.n, at.u), at.s);
    const double *vector[] = {contact, x, y, moving, material};
    const int to[] = {KT_WHEEL_CONTACT, KT_WHEEL_FORWARD, KT_WHEEL_LEFT, KT_WHEEL_VELOCITY, KT_WHEEL_MATERIAL};
    for (int i = 0; i < 5; i++) memcpy(part + to[i], vector[i], sizeof contact);
    part[KT_WHEEL_SLIP] = dot(x, material);
    part[KT_WHEEL_SLIP + 1] = dot(y, material);
    return OK;
}
