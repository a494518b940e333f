"""The C reader of a model, generated from `kernel_fields`: the file kernel/fields.h.

python -m fmu_src.build.kernel_reader        writes it
"""

from __future__ import annotations

from pathlib import Path

from ..model.reduced_model import FACTORS
from ..model.rows import POSITION, ROTATION, TURNING
from .kernel_fields import MODEL, VERSION, Bound, Field, Int, Ints, List, Real, Reals, Record, Table, Text, records

FILE = Path(__file__).parents[1] / "kernel" / "fields.h"

HEAD = f"""/* Written by kernel_reader.py from the lists of kernel_fields.py: change these instead. */
#ifndef KINETAB_FIELDS_H
#define KINETAB_FIELDS_H

#include "limits.h"
#include "stream.h"

#define KT_PLAN {VERSION}
#define KT_POSITION_ROWS {POSITION} /* of a marker, see rows.py */
#define KT_ROTATION_ROWS {ROTATION}
#define KT_TURNING_ROWS {TURNING} /* per coordinate */
#define KT_FACTORS {FACTORS} /* most deflections that multiply a column, see reduced_model.py */

typedef struct Model Model;
"""


def header() -> str:
    """The whole file."""
    known = list(dict.fromkeys(records()))
    parts = [HEAD, *(struct(record) for record in known), "", *(reader(record) for record in known), "#endif"]
    return "\n".join(parts) + "\n"


def struct(record: Record) -> str:
    """A record as a C struct."""
    known = record is MODEL  # its name is declared first
    lines = [f"/* {record.about} */", f"{'' if known else 'typedef '}struct {record.name} {{"]
    for item in record.fields:
        lines.append(f"    {declaration(item)};")
    lines += [f"    {line}" if line.endswith("*/") else f"    {line};" for line in record.more]
    return "\n".join([*lines, "};" if known else f"}} {record.name};", ""])


def declaration(item: Field) -> str:
    """One or two members of a struct."""
    match item:
        case Int():
            return f"int {item.name}"
        case Real() | Bound():
            return f"double {item.name}"
        case Text():
            return f"const char *{item.name}"
        case Ints():
            return f"const int *{item.name}"
        case Reals() | Table():
            return f"const double *{item.name}"
        case List():
            pointer = f"const {item.of.name} *{item.name}"
            return pointer if item.fixed else f"int {item.count}; {pointer}"
    raise TypeError(f"{item} is no field")


def reader(record: Record) -> str:
    """The function that reads a record."""
    own = "Model *m" if record is MODEL else f"const Model *m, {record.name} *o"
    lines = [f"static inline void kt_read_{record.name}(Reader *r, {own}) {{"]
    if record is MODEL:
        lines.append("    Model *o = m;")
    for item in record.fields:
        lines += [f"    {line}" for line in statements(item)]
    return "\n".join([*lines, "    (void)m;", "}", ""])


def statements(item: Field) -> list[str]:
    """How one field is read."""
    o, what = f"o->{item.name}", f'"{item.what}"'
    match item:
        case Int():
            return [f"{o} = kt_int(r, {item.least}, {item.most}, {what});"]
        case Real():
            return [f"{o} = kt_real(r, {what});"]
        case Bound():
            return [f"{o} = kt_number(r);"]
        case Text():
            return [f"{o} = kt_text(r);"]
        case Ints():
            return [f"{o} = kt_ints(r, {item.count}, {item.least}, {item.most}, {what});"]
        case Reals():
            return [f"{o} = kt_reals(r, {item.count}, {what});"]
        case Table():
            return [f"{o} = kt_table(r, {item.count}, {what});"]
        case List():
            return list_statements(item, o, what)
    raise TypeError(f"{item} is no field")


def list_statements(item: List, o: str, what: str) -> list[str]:
    """How a list is read; nothing more after a fault, since what it depends on may be missing."""
    count, kind = (item.count if item.fixed else f"o->{item.count}"), item.of.name
    head = [] if item.fixed else [f"{count} = kt_length(r, {what});"]
    return [
        *head,
        "if (r->fault) return;",
        f"{kind} *{item.name} = kt_take(r, (size_t)({count}), sizeof *{item.name});",
        f"for (int i = 0; i < ({count}) && !r->fault; i++) kt_read_{kind}(r, m, {item.name} + i);",
        f"{o} = {item.name};",
        "if (r->fault) return;",
    ]


if __name__ == "__main__":
    FILE.write_text(header(), encoding="utf-8")
