/* A disc on the floor; see track.py, whose equations are named here.  Heading, x and y are the last three coordinates. */
#include "kernel.h"

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static int heading_of(const Model *m) { return m->nf - 3; }

/* Rows f', l', n of (5). */
static void turned(const Model *m, const double *z, double axes[9]) {
    const double *own = m->track->axes, c = cos(z[heading_of(m)]), s = sin(z[heading_of(m)]);
    for (int i = 0; i < 3; i++) {
        axes[i] = c * own[i] + s * own[3 + i];
        axes[3 + i] = c * own[3 + i] - s * own[i];
        axes[6 + i] = own[6 + i];
    }
}

/* A velocity or acceleration on the floor, along x and y, along the axes of the track, and back. */
static void to_track(const Model *m, const double *z, const double *xy, double *fl) {
    double axes[9], v[3];
    turned(m, z, axes);
    for (int i = 0; i < 3; i++) v[i] = xy[0] * m->track->floor[i] + xy[1] * m->track->floor[3 + i];
    for (int i = 0; i < 2; i++) fl[i] = dot(axes + 3 * i, v);
}

static void to_floor(const Model *m, const double *z, const double *fl, double *xy) {
    double axes[9], v[3];
    turned(m, z, axes);
    for (int i = 0; i < 3; i++) v[i] = fl[0] * axes[i] + fl[1] * axes[3 + i];
    for (int i = 0; i < 2; i++) xy[i] = dot(m->track->floor + 3 * i, v);
}

/* v_f and v_l of (1), or their rates. */
static void along(const Model *m, const double *u, double *fl) {
    const Track *t = m->track;
    fl[0] = t->rolling ? t->radius * u[t->spin] : u[m->nf - 2];
    fl[1] = t->rolling ? 0.0 : u[m->nf - 1];
}

/* u of (1), which may be zd itself. */
void kt_quasi_rates(const Model *m, const double *z, const double *zd, double *u) {
    double fl[2] = {0.0, 0.0};
    if (!m->track->rolling) to_track(m, z, zd + m->nf - 2, fl);
    if (u != zd) memcpy(u, zd, (size_t)m->nf * sizeof *u);
    u[m->nf - 2] = fl[0];
    u[m->nf - 1] = fl[1];
}

/* Rates of x and y of a disc that rolls, (5). */
void kt_roll(const Model *m, const double *z, double *zd) {
    double fl[2];
    if (!m->track->rolling) return;
    along(m, zd, fl);
    to_floor(m, z, fl, zd + m->nf - 2);
}

/* From du/dt, in place, where the rates are zd. */
void kt_ground_accelerations(const Model *m, const double *z, const double *zd, double *zdd) {
    double u[KT_MOST_Z], fl[2], bent[2];
    kt_quasi_rates(m, z, zd, u);
    const double w = u[heading_of(m)];
    along(m, u, fl);
    along(m, zdd, bent);
    bent[0] -= w * fl[1];
    bent[1] += w * fl[0];
    to_floor(m, z, bent, zdd + m->nf - 2);
}

/* The other way. */
void kt_quasi_accelerations(const Model *m, const double *z, const double *u, const double *zdd, double *ud) {
    double fl[2], own[2] = {0.0, 0.0};
    memcpy(ud, zdd, (size_t)m->nf * sizeof *ud);
    if (!m->track->rolling) {
        along(m, u, fl);
        to_track(m, z, zdd + m->nf - 2, own);
        own[0] += u[heading_of(m)] * fl[1];
        own[1] -= u[heading_of(m)] * fl[0];
    }
    ud[m->nf - 2] = own[0];
    ud[m->nf - 1] = own[1];
}

/* In the tables' axes. */
void kt_track_gravity(const Kernel *k, const double *z, double *g) {
    const Model *m = k->m;
    double axes[9], given[3], own[3];
    turned(m, z, axes);
    for (int i = 0; i < 3; i++) given[i] = k->parameters[m->gravity[i]];
    for (int i = 0; i < 3; i++) own[i] = dot(axes + 3 * i, given);
    for (int i = 0; i < 3; i++)
        g[i] = own[0] * m->track->axes[i] + own[1] * m->track->axes[3 + i] + own[2] * m->track->axes[6 + i];
}

/* Rotation of the tables' axes to those of the ground, row by row, and where the tables' origin is. */
void kt_track_pose(const Model *m, const double *z, double *R, double *p) {
    const Track *t = m->track;
    double axes[9];
    turned(m, z, axes);
    const double height = dot(t->axes + 6, t->point);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) R[3 * i + j] = axes[i] * t->axes[j] + axes[3 + i] * t->axes[3 + j] + axes[6 + i] * t->axes[6 + j];
        p[i] = z[m->nf - 2] * t->floor[i] + z[m->nf - 1] * t->floor[3 + i] + height * t->axes[6 + i];
    }
    for (int i = 0; i < 3; i++) p[i] -= dot(R + 3 * i, t->point);
}

/* V of (6), or its rate from du/dt. */
void kt_track_twist(const Model *m, const double *u, double *V) {
    const Track *t = m->track;
    const double *n = t->axes + 6, *P = t->point, w = u[heading_of(m)];
    double fl[2];
    along(m, u, fl);
    const double around[3] = {n[1] * P[2] - n[2] * P[1], n[2] * P[0] - n[0] * P[2], n[0] * P[1] - n[1] * P[0]};
    for (int i = 0; i < 3; i++) {
        V[i] = w * n[i];
        V[3 + i] = fl[0] * t->axes[i] + fl[1] * t->axes[3 + i] - w * around[i];
    }
}

/* What (3) and (4) have on their right besides Q with gravity as at design. */
void kt_add_track_force(Kernel *k, const RowSet *set, const double *u, double *force) {
    const Model *m = k->m;
    const Track *t = m->track;
    const Chart *c = m->chart + set->chart;
    const double *f = t->axes, *l = t->axes + 3, mass = m->mass, w = u[heading_of(m)];
    double s[3], rate[3], g[3], v[2], turn[3];
    for (int i = 0; i < 3; i++) {
        s[i] = set->value[c->S[i]] - mass * t->point[i];
        rate[i] = 0.0;
        for (int j = 0; j < m->nf; j++) rate[i] += u[j] * set->slope[(size_t)j * (size_t)m->most_rows + (size_t)c->S[i]];
    }
    along(m, u, v);
    const double p_f = mass * v[0] - w * dot(s, l) + dot(rate, f), p_l = mass * v[1] + w * dot(s, f) + dot(rate, l); /* (2) */
    kt_track_gravity(k, set->z, g);
    for (int i = 0; i < 3; i++) turn[i] = g[i] - k->parameters[m->gravity[i]];
    for (int j = 0; j < m->nf; j++)
        for (int i = 0; i < 3; i++) force[j] += turn[i] * set->slope[(size_t)j * (size_t)m->most_rows + (size_t)c->S[i]];
    const double g_f = dot(g, f), g_l = dot(g, l), F_f = w * p_l + mass * g_f, F_l = mass * g_l - w * p_f;
    if (t->rolling) force[t->spin] += t->radius * F_f;
    else {
        force[m->nf - 2] += F_f;
        force[m->nf - 1] += F_l;
    }
    force[heading_of(m)] += dot(s, f) * g_l - dot(s, l) * g_f - (v[0] * p_l - v[1] * p_f);
}

/* Of gravity, counted from a plane through the ground's origin [J]. */
double kt_track_potential(Kernel *k, const RowSet *set) {
    const Model *m = k->m;
    double R[9], p[3], S[3], sum = 0.0;
    kt_track_pose(m, k->z, R, p);
    for (int i = 0; i < 3; i++) S[i] = set->value[m->chart[set->chart].S[i]];
    for (int i = 0; i < 3; i++) sum -= k->parameters[m->gravity[i]] * (dot(R + 3 * i, S) + m->mass * p[i]);
    return sum;
}
