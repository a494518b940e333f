"""Metrics and cases by the names that people give them.

wheel.fl.toe, toe.left, toe, roll_centre_height, spring_motion_ratio.coil.left, wheel.fl.spring_motion_ratio
travel=-60:60:13, steer=-30:30, single_bump=-2in:2in, lateral=2kN
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from precompute.errors import PrecomputeError
from precompute.hints import nearest
from precompute.kc.registry import METRICS, SIDES
from precompute.model.mechanism import Mechanism
from precompute.rig.cases import CASES, Case
from precompute.rig.stand import Stand


def axle_named(metric: str, mechanism: Mechanism) -> str | None:
    """The axle that a metric's name is of; None if it says none."""
    kind, _, rest = metric.partition(".")
    name = rest.partition(".")[0]
    for axle in mechanism.axles:
        if (kind == "wheel" and name in (axle.left, axle.right)) or (kind == "axle" and name == axle.name):
            return axle.name
    return None


def column_named(name: str, on: Stand, columns: Iterable[str], missing: Mapping[str, str]) -> str:
    """The column of a name.

    Args:
        name: `wheel.W.METRIC`, `axle.A.METRIC`, a column, or a metric: then of the wheel of the file, the left of two.
        on: the axle.
        columns: all that it has.
        missing: metrics that it has not, and why.

    Raises:
        PrecomputeError: there is no such column; with the nearest one, or the reason.
    """
    pairs = [pair for pair in zip(SIDES, on.sides, strict=True) if not pair[1].mirrored]
    wheels = {on.rig.bench.wheels[place.wheel].name: side for side, place in pairs}
    known, (kind, _, rest) = [*columns], name.partition(".")
    wanted, side = name, None
    if kind in ("wheel", "axle"):
        owner, _, wanted = rest.partition(".")
        owners = {"wheel": [*wheels], "axle": [on.axle.name]}[kind]
        if owner not in owners:
            raise PrecomputeError(f"'{name}': there is no {kind} '{owner}' on axle '{on.axle.name}'; "
                                  f"{nearest(owner, owners)}")  # fmt: skip
        if not wanted:
            raise PrecomputeError(f"'{name}' names no metric; write it as wheel.{next(iter(wheels))}.toe")
        side = wheels.get(owner) if kind == "wheel" else None
    if wanted in known and (side is None or wanted.endswith(f".{side}")):
        return wanted
    own = side or next(iter(wheels.values()))
    fits = [c for c in known if c == f"{wanted}.{own}" or (c.startswith(f"{wanted}.") and c.endswith(f".{own}"))]
    if fits:
        return fits[0]
    if side and wanted in known:
        raise PrecomputeError(f"'{wanted}' is of the axle: write axle.{on.axle.name}.{wanted}")
    metric = wanted.partition(".")[0]
    if metric in missing:
        raise PrecomputeError(missing[metric])
    if metric in METRICS:
        raise PrecomputeError(f"there is no '{name}' here; {nearest(wanted, known)}")
    raise PrecomputeError(f"there is no metric '{name}'; {nearest(metric, METRICS)}; `kinetab kc --list` has all")


def case_named(name: str) -> Case:
    """A case by its name or by what it goes through: of several, the first.

    Raises:
        PrecomputeError: there is none.
    """
    for case in CASES:
        if case.name == name:
            return case
    for case in CASES:
        if case.range == name:
            return case
    raise PrecomputeError(
        f"there is no case or input '{name}'; {nearest(name, [*(c.name for c in CASES), *(c.range for c in CASES)])}"
    )
