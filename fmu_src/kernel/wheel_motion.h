/* How wheels travel and are steered; see wheel_motion.py, whose equations are named here. */

#define TURNED 1e-4 /* angular velocity of a wheel per rate of its steering below which that does not turn it */

typedef struct { double point[3], direction[3]; } Line;

/* a of (1) or (2), (nf), while condition `number` has rate one; the spring of wheel `steered` is held in place of its travel. */
static void find_way(Kernel *k, const RowSet *set, int number, int steered, double *way) {
    WITH_MODEL(k);
    const Chart *c = m->chart + set->chart;
    double T[NZ_MOST * NZ_MOST];
    for (int j = 0; j < NF; j++) {
        const double *slope = set->slope + (size_t)j * ROWS;
        for (int i = 0; i < WHEELS; i++) {
            const int spring = m->wheel[i].spring;
            T[i * NF + j] = i == steered && spring >= 0 ? slope[c->s + m->element[spring].measure]
                                                        : dot(slope + c->marker[m->wheel[i].marker].r, m->wheel[i].axes + 6);
        }
        for (int i = 0; i < m->kept_still; i++) T[(WHEELS + i) * NF + j] = m->held[i] == j;
    }
    for (int i = 0; i < NF; i++) way[i] = i == number;
    if (kt_lu_solve(T, NF, way, 1)) return;
    for (int i = 0; i < NF; i++) way[i] = NAN;
}

static void geometric_axis(const Wheel *wheel, const double *centre, const double *R, Line *axis) {
    double ball[2][3];
    for (int i = 0; i < 2; i++) {
        memcpy(ball[i], wheel->ball[i].at, sizeof ball[i]);
        if (!wheel->ball[i].carried) continue;
        turned(R, wheel->ball[i].at, ball[i]);
        plus(ball[i], 1.0, centre, ball[i]);
    }
    memcpy(axis->point, ball[0], sizeof axis->point);
    plus(ball[1], -1.0, ball[0], axis->direction);
}

/* (3) */
static void screw_axis(Kernel *k, int w, const RowSet *set, Line *axis) {
    WITH_MODEL(k);
    const MarkerRows *rows = m->chart[set->chart].marker + m->wheel[w].marker;
    double way[NZ_MOST], *omega = axis->direction, v[3] = {0.0};
    int number = 0;
    while (m->held[number] != m->wheel[w].steering) number++;
    find_way(k, set, WHEELS + number, w, way);
    for (int i = 0; i < 3; i++) {
        omega[i] = 0.0;
        for (int j = 0; j < NF; j++) {
            omega[i] += set->value[rows->A + i * NZ + j] * way[j];
            v[i] += set->slope[(size_t)j * ROWS + rows->r + i] * way[j];
        }
    }
    const double square = dot(omega, omega);
    const int turns = sqrt(square) >= TURNED;
    cross(omega, v, axis->point);
    plus(set->value + rows->r, 1.0 / square, axis->point, axis->point);
    for (int i = 0; i < 3 && !turns; i++) axis->point[i] = omega[i] = NAN;
}

/* What is read of an axis about which a wheel is steered, (4). */
static int axis_parts(Kernel *k, int w, const RowSet *set, const double *inputs, int screw, double *part) {
    const Wheel *wheel = k->m->wheel + w;
    const MarkerRows *rows = k->m->chart[set->chart].marker + wheel->marker;
    const double *centre = set->value + rows->r, *R = set->value + rows->R, none[3] = {0.0};
    double e[3], gap[3], d[3], x[3], y[3], along[3];
    Line axis;
    Disc at;
    if (find_disc(k, w, R, wheel_inputs(k->m, w, inputs) + WHEEL_N, &at)) return FAILED;
    if (screw) screw_axis(k, w, set, &axis);
    else geometric_axis(wheel, centre, R, &axis);
    const double up = dot(wheel->axes + 6, axis.direction);
    plus(none, (up < 0.0 ? -1.0 : 1.0) / sqrt(dot(axis.direction, axis.direction)), axis.direction, e);
    turned(wheel->axes, e, along);
    const double rise = dot(at.n, e);
    plus(centre, 1.0, at.arm, gap);
    plus(gap, -1.0, axis.point, gap);
    const double far = fabs(rise) >= FLAT ? dot(at.n, gap) / rise : NAN;
    for (int i = 0; i < 3; i++) d[i] = far * e[i] - gap[i];
    cross(at.u, at.n, x);
    plus(none, 1.0 / at.s, x, x);
    cross(at.n, x, y);
    part[KT_CASTER] = atan2(-along[0], along[2]);
    part[KT_KINGPIN] = -wheel->outboard * atan2(along[1], along[2]);
    part[KT_SCRUB] = -wheel->outboard * dot(y, d);
    part[KT_TRAIL] = dot(x, d);
    return OK;
}
