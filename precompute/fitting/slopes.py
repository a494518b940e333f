"""How the curves change with the variables.

Where the changed mechanism may be taken as a design of its own, whose variables do the same, derivatives are those of
`sensitivity` there: exact along prescribed motions, by implicit differentiation of states of rest otherwise.  Rates and
compliances, and variables that depend on what has changed before (a rod's length that would follow its points), are
differenced between changed mechanisms, each at rest again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from precompute.arrays import Array
from precompute.design import Design, Dimensioned, Variable
from precompute.errors import MechanismError, PrecomputeError
from precompute.fitting.curves import At, Curves
from precompute.kc.registry import STEP
from precompute.mechanism_file.reading import parse_document
from precompute.mechanism_file.retouch import equal
from precompute.mechanism_file.writing import to_document
from precompute.sensitivity.analytic import Followed, axle_change, column_of, in_chunks
from precompute.sensitivity.differences import settled
from precompute.sensitivity.laws import FOURTH, SHARES, law_changes
from precompute.sensitivity.result import given_by_states
from precompute.sensitivity.variables import difference_step

PROBE = 0.05
"""Of their ranges, that all variables are changed by to see which depend on each other."""


def apart(design: Design, variables: Sequence[Variable], ranges: Array) -> set[str]:
    """Names of the variables that do to the changed mechanism what they do to the first one, whatever has changed."""
    changes = {v.name: PROBE * float(most) for v, most in zip(variables, ranges, strict=True)}
    try:
        there = Design.of(design.moved(changes))
        return {name for name in changes if _same(design, there, changes, name)}
    except MechanismError:
        return set()


def _same(design: Design, there: Design, changes: dict[str, float], name: str) -> bool:
    more = {**changes, name: 2.0 * changes[name]}
    own = there.edited({name: changes[name]}), design.edited(more)
    one, other = (to_document(parse_document(document)) for document in own)
    return name in there.variables and equal(one, other)


def slopes(curves: Curves, at: At, free: set[str]) -> Array:
    """(m, np) derivatives of all values by all variables [SI].

    Args:
        curves: what is fitted.
        at: the changed mechanism.
        free: names of variables that may be taken as those of the changed mechanism.

    Raises:
        PrecomputeError: a curve has no derivative by a variable.
    """
    design = Design.of(at.stand.mechanism)
    out = np.full((len(curves.variables), len(at.values)), np.nan)
    names = [v.name for v in curves.variables]
    for some in in_chunks([design.variables[name] for name in names if name in free]):
        out[[names.index(v.name) for v in some]] = by_states(curves, at, design, some)
    for k in np.flatnonzero(~np.isfinite(out).all(axis=1)):
        left = ~np.isfinite(out[k])
        out[k, left] = by_differences(curves, at, curves.variables[k])[left]
    if not np.isfinite(out).all():
        k, i = np.argwhere(~np.isfinite(out))[0]
        target = next(t for t in curves.targets if curves.numbers(t).start <= i < curves.numbers(t).stop)
        raise PrecomputeError(
            f"{target.name} has no derivative by '{curves.variables[k].name}' at "
            f"{target.place(int(i) - curves.numbers(target).start)}: leave one of them out"
        )
    return out.T


def by_states(curves: Curves, at: At, design: Design, variables: Sequence[Variable]) -> Array:
    """(np, m) by how states of rest change; nan where that does not give them."""
    made = Dimensioned.of(at.stand.rig.bench.closure, design, [v.name for v in variables])
    still = all(c.kinematic for c in at.courses) and all(t.metric.order != "statics" for t in curves.targets)
    laws = None if still else law_changes(at.stand, design, variables)
    found = []
    for course in at.courses:
        targets = curves.of(course.case)
        given = [given_by_states(course, t.metric, t.column) for t in targets]
        fast = any(t.metric.order == "velocity" for t, good in zip(targets, given, strict=True) if good)
        change = axle_change(course, made, laws, velocities=fast)[0]
        columns = np.full((len(targets), len(variables), len(course.values)), np.nan)
        for k in range(len(variables)):
            record = change.step(k)
            for i in np.flatnonzero(given):
                columns[i, k] = column_of(targets[i].metric, targets[i].column, record).imag / STEP
        found.append([*columns])
    return curves.gathered(found)


def by_differences(curves: Curves, at: At, variable: Variable) -> Array:
    """(m,) between changed mechanisms."""
    h = difference_step(variable, curves.design.units)
    values = []
    for share in SHARES:
        changes = {**at.changes, variable.name: at.changes[variable.name] + share * h}
        there = curves.put(changes)
        found = []
        for course in at.courses:
            rest, setting, good = settled(course, there)
            moved = Followed(there, course.case, course.values, rest, setting)
            columns = curves.columns(moved, curves.record(moved))
            found.append([np.where(good, column, np.nan) for column in columns])
        values.append(curves.gathered(found))
    return np.stack(values, axis=-1) @ FOURTH / h
