/* A start at rest; see equilibrium.py and statics.py, whose equations are named here. */
#include "kernel.h"

#define ITERATIONS 100
#define TRIALS 40
#define FEW_TRIALS 8
#define DIFFERENCE 1e-6  /* of the reach, as is the next */
#define FINE_DIFFERENCE 1e-9
#define OF_A_STEP 0.1
#define HALF 0.5         /* (3) */
#define LONGER 4.0
#define FLAT 1e-8        /* of the largest stiffness, as are the next two */
#define SMALL 1e-20
#define UNSTABLE 1e-6
#define PROGRESS 0.9
#define ON_BORDER 1e-12  /* of the reach */
#define LARGEST_STEP 0.25 /* of the length of a table */
#define LARGEST_DEFLECTION 5.0 /* of the radius, as is the next */
#define MOST_RADII 100.0 /* see step_end.py */

typedef struct {
    double *at;          /* where it is */
    int place;           /* of the force on it */
    double reach, lower, upper;
} Unknown;

/* Forces and stiffness are in joules.  K, and what it is solved with, are in the memory of implicit steps. */
typedef struct {
    Kernel *k;
    State state;         /* in the vectors below */
    double z[KT_MOST_Z + KT_CHUNK], zd[KT_MOST_Z + KT_CHUNK];
    Unknown unknown[KT_MOST_Z];
    int n;
    double x[KT_MOST_Z], r[KT_MOST_Z], step[KT_MOST_Z], most, shift;
    int found, worst, held, stable;
} Search;

/* The coordinates that are neither driven nor float. */
static void list_unknowns(Search *s) {
    const Model *m = s->k->m;
    s->n = 0;
    for (int i = 0; i < m->nf + m->ns; i++) {
        int driven = 0;
        for (int d = 0; d < m->drives; d++) driven |= m->drive[d].axis == i;
        if (driven || (i >= m->nf && m->stiff[i - m->nf].floats)) continue;
        Unknown *u = s->unknown + s->n++;
        if (i < m->nf) {
            const Axis *a = m->chart[s->state.chart].axis + i;
            const int open = a->periodic || a->linear;
            *u = (Unknown){s->z + i, i, LARGEST_STEP * (a->upper - a->lower), open ? -HUGE_VAL : a->lower, open ? HUGE_VAL : a->upper};
        } else {
            const Stiff *stiff = m->stiff + i - m->nf;
            const double most = MOST_RADII * stiff->radius;
            *u = (Unknown){s->z + i, i, LARGEST_DEFLECTION * stiff->radius, stiff->about - most, stiff->about + most};
        }
    }
}

static double inside(const Unknown *u, double x) { return fmin(fmax(x, u->lower), u->upper); }
static int below(const Unknown *u, double x) { return x - u->lower <= ON_BORDER * u->reach; }
static int above(const Unknown *u, double x) { return u->upper - x <= ON_BORDER * u->reach; }

/* Forces (n) on the unknowns where they are x (n). */
static int forces(Search *s, const double *x, double *r) {
    double force[KT_MOST_Z + KT_CHUNK];
    for (int i = 0; i < s->n; i++) *s->unknown[i].at = x[i];
    int status = s->k->hot->still_force(s->k, &s->state, force);
    for (int i = 0; i < s->n && !status; i++) r[i] = force[s->unknown[i].place] * s->unknown[i].reach;
    return status;
}

static double dot(int n, const double *a, const double *b) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* r and K at x, and the largest of all these numbers; infinite if one is none. */
static int look(Search *s, double difference) {
    const int n = s->n;
    double there[KT_MOST_Z], r[KT_MOST_Z], *K = s->k->K;
    int status = forces(s, s->x, s->r), sound = 1;
    s->most = 0.0;
    memcpy(there, s->x, (size_t)n * sizeof *there);
    for (int j = 0; j < n && !status; j++) {
        const Unknown *u = s->unknown + j;
        const double h = difference * u->reach;
        there[j] += s->x[j] + h <= u->upper ? h : -h;
        if ((status = forces(s, there, r))) break;
        for (int i = 0; i < n; i++) {
            K[i * n + j] = (s->r[i] - r[i]) * u->reach / (there[j] - s->x[j]);
            s->most = fmax(s->most, fmax(fabs(K[i * n + j]), fabs(s->r[i])));
            sound &= isfinite(K[i * n + j]) && isfinite(s->r[i]);
        }
        there[j] = s->x[j];
    }
    if (!sound) s->most = HUGE_VAL;
    return status;
}

/* Of the symmetric part of K, of the unknowns that are listed. */
static double smallest(Search *s, const int *own, int count) {
    double *a = s->k->work;
    const double *K = s->k->K;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) a[i * count + j] = 0.5 * (K[own[i] * s->n + own[j]] + K[own[j] * s->n + own[i]]);
    return kt_smallest_eigenvalue(a, count);
}

/* (2) for the unknowns that are listed; the others stay. */
static void solve(Search *s, const int *own, int count) {
    double *a = s->k->A, right[KT_MOST_Z];
    s->shift = 0.0;
    for (int i = 0; i < s->n; i++) s->step[i] = 0.0;
    if (!count || s->most == 0.0) return;
    const double least = smallest(s, own, count);
    if (least < FLAT * s->most) s->shift = fmax(FLAT * s->most, -2.0 * least);
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++) a[i * count + j] = s->k->K[own[i] * s->n + own[j]] + (i == j ? s->shift : 0.0);
        right[i] = s->r[own[i]];
    }
    kt_lu_solve(a, count, right, 1); /* it is regular: its symmetric part is positive */
    for (int i = 0; i < count; i++) s->step[own[i]] = right[i];
}

/* The step of all unknowns that it does not lead out of bounds which they are on. */
static void find_step(Search *s) {
    int own[KT_MOST_Z], count = 0, all;
    for (int i = 0; i < s->n; i++) {
        const Unknown *u = s->unknown + i;
        if (!(below(u, s->x[i]) && s->r[i] < 0.0) && !(above(u, s->x[i]) && s->r[i] > 0.0)) own[count++] = i;
    }
    do {
        solve(s, own, count);
        all = count;
        count = 0;
        for (int e = 0; e < all; e++) {
            const int i = own[e];
            const Unknown *u = s->unknown + i;
            if (!(below(u, s->x[i]) && s->step[i] < 0.0) && !(above(u, s->x[i]) && s->step[i] > 0.0)) own[count++] = i;
        }
    } while (count < all);
}

/* x + t step, within bounds. */
static void go(const Search *s, double t, double *x) {
    for (int i = 0; i < s->n; i++) x[i] = inside(s->unknown + i, s->x[i] + t * s->step[i] * s->unknown[i].reach);
}

/* Force along the step at a part t of it. */
static int along(Search *s, double t, double *found) {
    double x[KT_MOST_Z], r[KT_MOST_Z];
    go(s, t, x);
    int status = forces(s, x, r);
    *found = status ? 0.0 : dot(s->n, r, s->step);
    return status;
}

/* How many times the step may be gone: no unknown goes farther than its reach, or over its bound. */
static double way(const Search *s) {
    double t = HUGE_VAL;
    for (int i = 0; i < s->n; i++) {
        const Unknown *u = s->unknown + i;
        if (s->step[i] == 0.0) continue;
        const double room = (s->step[i] > 0.0 ? u->upper - s->x[i] : s->x[i] - u->lower) / u->reach;
        t = fmin(t, fmin(room, 1.0) / fabs(s->step[i]));
    }
    return t;
}

/* The length of the step, up to `most`, by (3). */
static int find_length(Search *s, double work, double most, int trials, double *t) {
    double low = 0.0, at_low = work, high = HUGE_VAL, at_high = 0.0, found;
    *t = fmin(1.0, most);
    for (int trial = 0; trial < trials; trial++) {
        int status = along(s, *t, &found);
        if (status) return status;
        if (fabs(found) <= HALF * work || (found > 0.0 && *t == most)) break;
        if (found > 0.0) {
            low = *t;
            at_low = found;
        } else {
            high = *t;
            at_high = found;
        }
        if (high < HUGE_VAL) *t = low + fmin(fmax(at_low / (at_low - at_high), 0.1), 0.9) * (high - low);
        else *t = fmin(LONGER * *t, most);
    }
    return OK;
}

/* What the end of a search is worth. */
static int judge(Search *s, int settled) {
    int status = forces(s, s->x, s->r), every[KT_MOST_Z];
    double most_out = 0.0, most_left = -1.0;
    s->held = s->worst = 0;
    for (int i = 0; i < s->n && !status; i++) {
        const Unknown *u = s->unknown + i;
        const double out = below(u, s->x[i]) ? -s->r[i] : above(u, s->x[i]) ? s->r[i] : 0.0;
        every[i] = i;
        s->held |= out > FLAT * s->most;
        if (out > most_out) {
            most_out = out;
            if (s->held) s->worst = i;
        }
        if (!s->held && fabs(s->r[i]) > most_left) {
            most_left = fabs(s->r[i]);
            s->worst = i;
        }
    }
    s->found = settled && !s->held;
    s->stable = !s->found || !s->n || smallest(s, every, s->n) >= -UNSTABLE * s->most;
    return status;
}

/* The equilibrium to which the forces lead in one chart. */
static int settle(Search *s) {
    double best[KT_MOST_Z], least = HUGE_VAL, difference = DIFFERENCE, t, moved;
    for (int i = 0; i < s->n; i++) s->x[i] = inside(s->unknown + i, *s->unknown[i].at);
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        int status = look(s, difference);
        if (status) return status;
        if (!isfinite(s->most)) break;
        find_step(s);
        const double work = dot(s->n, s->r, s->step);
        double most = way(s);
        int trials = TRIALS;
        if (work <= SMALL * s->most) {
            if (!(work < PROGRESS * least)) break;
            least = work;
            trials = FEW_TRIALS;
            if (s->shift > 0.0) most = fmin(most, 1.0);
            memcpy(best, s->x, sizeof best);
        }
        t = moved = 0.0;
        if (work > 0.0 && (status = find_length(s, work, most, trials, &t))) return status;
        go(s, t, s->x);
        for (int i = 0; i < s->n; i++) moved = fmax(moved, t * fabs(s->step[i]));
        difference = fmin(fmax(OF_A_STEP * moved, FINE_DIFFERENCE), DIFFERENCE);
    }
    if (least < HUGE_VAL) memcpy(s->x, best, sizeof best);
    return judge(s, least < HUGE_VAL);
}

/* Why there is none. */
static int refuse(Search *s) {
    static const char none[] = "no static equilibrium was found:", advice[] = "or set 'solver.static' = 0";
    const Model *m = s->k->m;
    if (s->found)
        return kt_fail(s->k, FAILED,
                       "the static equilibrium that was found is not stable: any motion leads away from it; start near the one that "
                       "is meant, with the parameters 'q_start', %s",
                       advice);
    const Unknown *u = s->unknown + s->worst;
    const int stiff = u->place >= m->nf;
    const Axis *a = m->chart[s->state.chart].axis + (stiff ? 0 : u->place);
    const Stiff *d = m->stiff + (stiff ? u->place - m->nf : 0);
    const char *name = stiff ? d->name : a->name, *unit = stiff ? d->unit : a->unit, *effort = stiff ? d->effort : a->effort;
    const double place = (stiff ? d->told : a->told) * s->x[s->worst];
    const double force = (stiff ? d->told_effort : a->told_effort) * fabs(s->r[s->worst]) / u->reach;
    if (!s->held)
        return kt_fail(s->k, FAILED,
                       "%s '%s' came to %.6g %s, where %.6g %s is left on it; check the loads and the springs, start near it, with "
                       "the parameters 'q_start', %s",
                       none, name, place, unit, force, effort, advice);
    if (!stiff)
        return kt_fail(s->k, FAILED,
                       "%s '%s' is pushed with %.6g %s against the end of its table, %.6g %s; check the loads and the springs, bake "
                       "with a wider range or a stop, %s",
                       none, name, force, effort, place, unit, advice);
    return kt_fail(s->k, FAILED,
                   "%s '%s' is pushed with %.6g %s to %.6g %s, %g times what its tables hold; check the loads, and that it is held by "
                   "a bushing with a stiffness above zero, %s",
                   none, name, force, effort, place, unit, MOST_RADII, advice);
}

/* Devices take the states in which they rest where the search has ended. */
static int rest(Search *s) {
    double force[KT_MOST_Z + KT_CHUNK];
    Kernel *k = s->k;
    for (int i = 0; i < s->n; i++) *s->unknown[i].at = s->x[i];
    if (k->hot->still_force(k, &s->state, force)) return FAILED;
    memcpy(s->state.x, k->device_x, (size_t)k->m->states * sizeof *force);
    memcpy(s->state.u, k->device_u, (size_t)k->m->unknowns * sizeof *force);
    return OK;
}

/* The start state at rest in the equilibrium to which the forces lead from it, in whichever chart; as it was if there is none. */
int kt_start_at_rest(Kernel *k) {
    const Model *m = k->m;
    const int nz = m->nf + m->ns;
    const size_t memory = kt_memory(m) * sizeof(double);
    State state = kt_state(k);
    if (m->tracks)
        return kt_fail(k, FAILED,
                       "there is no equilibrium to start from: nothing holds the disc '%s' at a place on the floor; set "
                       "'solver.static' = 0",
                       m->track->name);
    Search s = {.k = k, .state = state};
    s.state.z = s.z;
    s.state.zd = s.zd;
    s.state.x = k->saved; /* that of a step, of which there is none yet */
    s.state.u = s.state.x + m->states;
    memcpy(s.state.x, state.x, memory);
    memcpy(s.z, state.z, (size_t)nz * sizeof *s.z);
    for (int d = 0; d < m->drives; d++) s.z[m->drive[d].axis] = k->inputs[m->drive[d].first];
    for (int rounds = 2 * m->charts;;) {
        list_unknowns(&s);
        int status = settle(&s);
        if (!status && m->devices) status = rest(&s);
        if (status) return status;
        const State here = s.state;
        if ((status = k->hot->settled(k, &s.state))) return status;
        if (s.state.chart == here.chart && s.state.lap == here.lap) break;
        if (--rounds) continue;
        s.state = here; /* it goes round and round */
        s.found = s.held = 0;
        break;
    }
    if (!s.found || !s.stable) return refuse(&s);
    k->block[AT_CHART] = s.state.chart;
    k->block[AT_LAP] = s.state.lap;
    memcpy(state.z, s.z, (size_t)nz * sizeof *s.z);
    memcpy(state.x, s.state.x, memory);
    memset(state.zd, 0, (size_t)nz * sizeof *state.zd);
    for (int d = 0; d < m->drives; d++)
        if (m->drive[d].filter_time == 0.0) {
            state.z[m->drive[d].axis] = k->inputs[m->drive[d].first];
            state.zd[m->drive[d].axis] = k->inputs[m->drive[d].first + 1];
        }
    return OK;
}
