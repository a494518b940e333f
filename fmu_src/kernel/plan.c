/* The model in a model file: its frame is checked, then its stream read, in the order in which kernel_plan.py wrote it. */
#include "stream.h"

#define PRELUDE 80
#define ALIGNMENT 64

static void read_variables(Reader *r, Model *m) {
    m->variables = count(r, "the number of variables");
    Variable *v = take(r, (size_t)m->variables, sizeof *v);
    for (int i = 0; i < m->variables && !r->fault; i++) {
        v[i].causality = integer(r, PARAMETER, OUTPUT, "a causality");
        v[i].fixed = integer(r, 0, 1, "a variability");
        v[i].start = real(r, "a start value");
        v[i].lower = number(r);
        v[i].upper = number(r);
        v[i].name = text(r);
        v[i].unit = text(r);
    }
    m->variable = v;
}

static void read_layout(Reader *r, Model *m) {
    m->first_input = integer(r, 1, m->variables, "the place of the inputs");
    m->inputs_at = integer(r, m->first_input, m->variables, "the place of the inputs");
    m->outputs_at = integer(r, m->inputs_at, m->variables, "the place of the outputs");
    for (int i = 0; i < m->variables && !r->fault; i++) {
        int expected = i < m->first_input ? PARAMETER : i < m->outputs_at ? INPUT : OUTPUT;
        if (m->variable[i].causality != expected) wrong(r, "the causality of a variable");
    }
    m->starts = count(r, "the number of start values");
    Start *start = take(r, (size_t)m->starts, sizeof *start);
    for (int i = 0; i < m->starts && !r->fault; i++) {
        start[i].place = integer(r, 0, 2 * m->nz - 1, "the place of a start value");
        start[i].reference = integer(r, 0, m->outputs_at - 1, "the variable of a start value");
    }
    m->start = start;
    double *numbers = take(r, 2 * (size_t)m->nz, sizeof *numbers);
    for (int i = 0; i < 2 * m->nz && !r->fault; i++) numbers[i] = real(r, "a start value");
    m->start_numbers = numbers;
    m->parameters = count(r, "the number of parameters");
    m->parameter = indices(r, m->parameters, m->outputs_at, "a parameter");
    for (int i = 0; i < 3; i++) m->gravity[i] = integer(r, 0, m->parameters - 1, "gravity");
    double *lap = take(r, (size_t)m->nf, sizeof *lap);
    for (int i = 0; i < m->nf && !r->fault; i++) lap[i] = real(r, "the lap of a coordinate");
    m->lap = lap;
    Stiff *stiff = take(r, (size_t)m->ns, sizeof *stiff);
    for (int i = 0; i < m->ns && !r->fault; i++) {
        stiff[i].radius = real(r, "a radius");
        if (!(stiff[i].radius > 0.0)) wrong(r, "a radius");
        stiff[i].name = text(r);
        stiff[i].unit = text(r);
    }
    m->stiff = stiff;
}

static void read_inputs(Reader *r, Model *m) {
    m->inputs = integer(r, 0, m->outputs_at - m->inputs_at, "the number of inputs");
    if (m->inputs != m->outputs_at - m->inputs_at) wrong(r, "the number of inputs");
    m->forced = integer(r, 0, m->nf < m->inputs ? m->nf : m->inputs, "the number of generalized forces");
    m->forced_axis = indices(r, m->forced, m->nf, "a generalized force");
    m->drives = integer(r, 0, m->nf, "the number of drives");
    Drive *drive = take(r, (size_t)m->drives, sizeof *drive);
    for (int i = 0; i < m->drives && !r->fault; i++) {
        drive[i].axis = integer(r, i ? drive[i - 1].axis + 1 : 0, m->nf - 1, "the axis of a drive");
        drive[i].first = integer(r, 0, m->inputs - 1, "the inputs of a drive");
        drive[i].filter_time = real(r, "the filter of a drive");
        if (drive[i].filter_time == 0.0 && drive[i].first + 3 > m->inputs) wrong(r, "the inputs of a drive");
    }
    m->drive = drive;
    int room = m->inputs - (m->moving ? 6 : 0);
    m->twist = integer(r, 0, room, "the place of the twist");
    m->twist_rate = integer(r, 0, room, "the place of the twist's rate");
    m->loads = integer(r, 0, m->inputs, "the place of the loads");
}

static void read_law(Reader *r, const Model *m, Law *law) {
    law->argument = (Argument)integer(r, 0, ARGUMENTS - 1, "the argument of a law");
    law->side = (Side)integer(r, 0, SIDES - 1, "the side of a law");
    law->curve = (Curve)integer(r, 0, CURVES - 1, "the curve of a law");
    law->reference = integer(r, -1, m->parameters - 1, "the reference of a law");
    law->count = count(r, "the number of parameters of a law");
    if (!kt_law_fits(law)) wrong(r, "the number of parameters of a law");
    law->parameters = indices(r, law->count, m->parameters, "a parameter of a law");
    integer(r, 0, 0, "the number of states of a law");
}

static void read_laws(Reader *r, Model *m) {
    m->elements = count(r, "the number of elements");
    m->measures = integer(r, 0, m->elements, "the number of measures");
    int bent = integer(r, 0, m->measures, "the number of bent measures");
    m->steady = integer(r, 0, m->measures - bent, "the number of steady measures");
    m->active = m->measures - m->steady;
    m->varying = m->active - bent;
    m->bent_inertia = integer(r, 0, 1, "whether the inertia is bent");
    Element *e = take(r, (size_t)m->elements, sizeof *e);
    for (int i = 0; i < m->elements && !r->fault; i++) {
        e[i].measure = integer(r, 0, m->measures - 1, "a measure");
        e[i].laws = count(r, "the number of laws");
        e[i].lap = real(r, "the lap of an element");
        e[i].name = text(r);
        Law *law = take(r, (size_t)e[i].laws, sizeof *law);
        for (int l = 0; l < e[i].laws && !r->fault; l++) read_law(r, m, law + l);
        e[i].law = law;
    }
    m->element = e;
    int *active = take(r, (size_t)m->elements, sizeof *active);
    for (int i = 0; i < m->elements && !r->fault; i++)
        if (e[i].measure < m->active) active[m->actives++] = i;
    m->active_element = active;
    int laws = 0;
    for (int i = 0; i < m->actives && !r->fault; i++) laws += e[active[i]].laws;
    struct Bend *bend = take(r, (size_t)laws, sizeof *bend);
    for (int i = 0; i < m->actives && !r->fault; i++)
        for (int l = 0; l < e[active[i]].laws; l++) {
            const Law *law = e[active[i]].law + l;
            if (kt_law_linear(law)) continue;
            bend[m->bends].measure = e[active[i]].measure;
            bend[m->bends++].law = law;
        }
    m->bend = bend;
    m->couplings = count(r, "the number of couplings");
    Coupling *pair = take(r, (size_t)m->couplings, sizeof *pair);
    for (int i = 0; i < m->couplings && !r->fault; i++) {
        pair[i].a = integer(r, 0, m->elements - 1, "a coupling");
        pair[i].b = integer(r, 0, m->elements - 1, "a coupling");
        pair[i].stiffness = integer(r, 0, m->parameters - 1, "a coupling");
        pair[i].damping = integer(r, 0, m->parameters - 1, "a coupling");
        if (!r->fault && (e[pair[i].a].measure < m->active) != (e[pair[i].b].measure < m->active)) wrong(r, "a coupling");
    }
    m->coupling = pair;
    m->bushings = count(r, "the number of coupled bushings");
    Bushing *bushing = take(r, (size_t)m->bushings, sizeof *bushing);
    for (int i = 0; i < m->bushings && !r->fault; i++) {
        bushing[i].count = integer(r, 1, 6, "the directions of a bushing");
        bushing[i].elements = indices(r, bushing[i].count, m->elements, "a direction of a bushing");
    }
    m->bushing = bushing;
}

static void read_markers(Reader *r, Model *m) {
    m->markers = count(r, "the number of markers");
    Marker *marker = take(r, (size_t)m->markers, sizeof *marker);
    for (int i = 0; i < m->markers && !r->fault; i++) {
        marker[i].has_spin = integer(r, 0, 1, "a spin axis");
        for (int k = 0; k < 3; k++) marker[i].spin[k] = real(r, "a spin axis");
        for (int k = 0; k < 3; k++) marker[i].design[k] = real(r, "a spin axis");
    }
    m->marker = marker;
    m->ports = count(r, "the number of ports");
    m->port = indices(r, m->ports, m->markers, "the marker of a port");
    if (m->loads + 6 * m->ports > m->inputs) wrong(r, "the place of the loads");
}

static int hex(char digit) { return digit <= '9' ? digit - '0' : digit - 'a' + 10; }

static void read_stream(Reader *r, Model *m) {
    integer(r, KT_PLAN, KT_PLAN, "its version");
    m->nf = integer(r, 1, KT_MOST_AXES, "the number of axes");
    m->ns = integer(r, 0, KT_MOST_Z - KT_MOST_AXES, "the number of stiff coordinates");
    m->nz = m->nf + m->ns;
    m->quasistatic = integer(r, 0, m->ns > 0, "whether stiff coordinates are quasi-static");
    m->moving = integer(r, 0, 1, "whether the ground moves");
    m->charts = count(r, "the number of charts");
    if (m->charts < 1 || (m->ns && m->charts > 1)) wrong(r, "the number of charts");
    m->guid = text(r);
    const char *tag = text(r);
    if (!r->fault && (strlen(m->guid) != 32 || strspn(tag, "0123456789abcdef") != 2 * KT_TAG)) wrong(r, "its identity");
    for (int i = 0; i < KT_TAG && !r->fault; i++) m->tag[i] = (unsigned char)(16 * hex(tag[2 * i]) + hex(tag[2 * i + 1]));
    m->stages = integer(r, 0, 1, "its method") ? 2 : 4;
    m->mass = real(r, "the mass");
    read_variables(r, m);
    read_layout(r, m);
    SOUND(r);
    read_inputs(r, m);
    read_laws(r, m);
    SOUND(r);
    read_markers(r, m);
    SOUND(r);
    Chart *chart = take(r, (size_t)m->charts, sizeof *chart);
    for (int i = 0; i < m->charts && !r->fault; i++) kt_read_chart(r, m, chart + i);
    for (int k = 0; k < m->nz && !r->fault; k++)
        m->far[k] = k < m->nf ? KT_FAR * (chart->axis[k].upper - chart->axis[k].lower) : KT_FAR_STIFF * m->stiff[k - m->nf].radius;
    m->chart = chart;
    if (!r->fault && r->left) wrong(r, "its end");
    if (!r->fault && m->drives && m->charts > 1) wrong(r, "drives with several charts");
    if (!r->fault && (size_t)(m->variables - m->outputs_at) != kt_output_count(m)) wrong(r, "the number of outputs");
    SOUND(r);
    if (kt_prepare_small(r->instance)) wrong(r, "there is not enough memory for it");
    m->can_depart = m->ns > 0;
    for (int i = 0; i < m->charts; i++)
        for (int k = 0; k < m->nf; k++) m->can_depart |= chart[i].axis[k].linear && !chart[i].axis[k].periodic;
    m->loads_rows = chart->s + m->active - chart->loads;
    for (int i = 1; i < m->charts; i++)
        if (chart[i].s != chart->s || chart[i].loads != chart->loads) wrong(r, "the places of charts");
}

static uint64_t little(const unsigned char *at, int bytes) {
    uint64_t number = 0;
    for (int i = bytes - 1; i >= 0; i--) number = number << 8 | at[i];
    return number;
}

/* Sum of all words, each times an odd number of its own, and of their number: any change of one word shows. */
static uint64_t checksum(const unsigned char *at, size_t words) {
    uint64_t factor = 0x9E3779B97F4A7C15u, step = 2 * factor, sum = words * factor;
    for (size_t i = 0; i < words; i++, factor += step) {
        uint64_t bits;
        memcpy(&bits, at + 8 * i, 8);
        sum += bits * factor;
    }
    return sum;
}

int kt_read_model(kt_instance *instance, const unsigned char *blob, size_t size) {
    const uint16_t probe = 1;
    if (*(const unsigned char *)&probe != 1)
        return kt_fail(instance, FAILED, "this machine is big-endian, model files are little-endian");
    if (size < PRELUDE || memcmp(blob, "KINETAB", 8) != 0)
        return kt_fail(instance, FAILED, "it is not a model file; bake the mechanism again");
    uint64_t schema = little(blob + 8, 4), header = little(blob + 16, 8);
    if (schema != KT_SCHEMA)
        return kt_fail(instance, FAILED, "it has schema %u, this version reads schema %d; bake the mechanism again",
                       (unsigned)schema, KT_SCHEMA);
    if (header > size - PRELUDE) return kt_fail(instance, FAILED, "it is cut short; copy it again or bake the mechanism again");
    size_t start = (PRELUDE + (size_t)header + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (start > size) return kt_fail(instance, FAILED, "it is cut short; copy it again or bake the mechanism again");
    uint64_t plan = little(blob + 56, 8), words = little(blob + 64, 8);
    Reader r = {instance, blob + start, NULL, size - start, 0, NULL};
    if (r.payload_bytes % 8 || checksum(r.payload, r.payload_bytes / 8) != little(blob + 72, 8))
        return kt_fail(instance, FAILED,
                       "it is damaged (its checksum does not fit its content); copy it again or bake the mechanism again");
    if (plan % 8 || plan > r.payload_bytes || words > (r.payload_bytes - plan) / 8)
        return kt_fail(instance, FAILED, "its plan is not inside it; bake the mechanism again");
    r.at = r.payload + plan;
    r.left = (size_t)words;
    read_stream(&r, &instance->model);
    if (r.fault) return kt_fail(instance, FAILED, "its plan is wrong: %s; bake the mechanism again", r.fault);
    return OK;
}
