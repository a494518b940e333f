/* Messages as text. */
#include "kernel.h"

#include <stdio.h>

/* One conversion of the format, which begins with %, with the next text or number; where it ends. */
static const char *convert(const char *at, const Fault *fault, int *texts, int *numbers, char *to, size_t room) {
    char format[16] = "";
    size_t length = strcspn(at, "sdg") + 1;
    if (length >= sizeof format) return at + strlen(at);
    memcpy(format, at, length);
    if (at[length - 1] == 's') snprintf(to, room, format, fault->text[(*texts)++]);
    else if (at[length - 1] == 'd') snprintf(to, room, "%.0f", fault->number[(*numbers)++]);
    else snprintf(to, room, format, fault->number[(*numbers)++]);
    return at + length;
}

void kt_format(const Fault *fault, char *text, size_t room) {
    int texts = 0, numbers = 0;
    size_t used = 0;
    if (!room) return;
    text[0] = 0;
    if (fault->when == AT) used = (size_t)snprintf(text, room, "at t = %.9g s: ", fault->from);
    if (fault->when == BETWEEN) used = (size_t)snprintf(text, room, "between t = %.9g s and %.9g s: ", fault->from, fault->to);
    for (const char *at = fault->format ? fault->format : ""; *at && used + 1 < room;) {
        if (*at == '%') at = convert(at, fault, &texts, &numbers, text + used, room - used);
        else {
            text[used] = *at++;
            text[used + 1] = 0;
        }
        used += strlen(text + used);
    }
    if (fault->unused && used + 1 < room)
        snprintf(text + used, room - used,
                 "%sparameter '%s' = %.9g %s is not used: with 'solver.static' = 1 the motion starts at rest", used ? "; " : "",
                 fault->unused->name, fault->unused_rate, fault->unused->unit);
}

const char *kt_message(const kt_instance *k) {
    kt_format(&k->fault, (char *)k->message, sizeof k->message);
    return k->message;
}
