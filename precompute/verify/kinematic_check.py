"""The tables of a model against kinematics in natural coordinates, at configurations all over them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from fmu_src.model.reduced_model import ReducedModel
from fmu_src.model.units import DISPLAY
from fmu_src.numpy_runtime.dynamics import Runtime, prepare
from precompute.arrays import Array
from precompute.kinematics.loops import reference_length
from precompute.model.mechanism import Mechanism
from precompute.natural import NaturalModel, Places, natural_model
from precompute.reference.rolling import on_floor
from precompute.threads import one_thread
from precompute.verify.findings import Coverage, Difference, KinematicCheck
from precompute.verify.motion.branch_points import branch_points
from precompute.verify.motion.coverage import tabulated_axes
from precompute.verify.tables.configurations import Configurations, configurations, partly_seen
from precompute.verify.tables.floor_comparison import floor_compared, floor_motion, from_design
from precompute.verify.tables.promise import Promise
from precompute.verify.tables.table_comparison import Compared, Side, compared
from precompute.verify.tables.table_motion import table_motion
from precompute.verify.tables.witness import conditions, witness

NEAR = 0.2
"""Configurations nearer to a branch point than this share of what the sweep leaves out there are not compared."""

SUSPECT = 10.0
"""A condition number this many times the usual one may tell of a branch point."""


@one_thread
def kinematic_check(model: ReducedModel, mechanism: Mechanism) -> KinematicCheck:
    """Compare all that the tables hold with an independent solution.

    Args:
        model: as an FMU has it.
        mechanism: that it was baked from, `from_document(model.mechanism)`.

    Returns:
        Differences per quantity, each with the limit that the tables' own tolerance sets, and the coverage of every
        axis and stiff coordinate.
    """
    charts = prepare(model)
    sampled = list(configurations(model))
    natural = natural_model(on_floor(mechanism))
    places = all_places(natural, charts, sampled)
    found: dict[str, Difference] = {}
    notes: list[str] = []
    for number, (runtime, own, at) in enumerate(zip(charts, sampled, places, strict=True)):
        near, words = near_branch_points(mechanism, natural, runtime, own, at)
        own, at = own.only(~near), at[~near]
        sampled[number] = own
        notes += [*words, *spots(runtime, own)]
        side = sides(model, mechanism, runtime, own, natural, at)
        found_here = compared(side) if model.track is None else floor_compared(side)
        for worst in (d for item in found_here for d in differences(item, runtime, own)):
            if worst.quantity not in found or worst.excess > found[worst.quantity].excess:
                found[worst.quantity] = worst
    return KinematicCheck(
        configurations=sum(len(own.z) for own in sampled),
        differences=tuple(found.values()),
        coverage=tuple(coverage(charts, sampled)),
        notes=tuple(notes),
    )


def near_branch_points(
    mechanism: Mechanism, natural: NaturalModel, runtime: Runtime, own: Configurations, places: Places
) -> tuple[NDArray[np.bool_], list[str]]:
    """Which configurations (n,) are next to branch points, and words on that: there either side loses its digits.

    Branch points are looked for only where the condition tells of one.
    """
    near, notes = np.zeros(len(own.z), dtype=bool), list[str]()
    condition = conditions(natural, places)
    if mechanism.contact or len(runtime.model.charts) > 1 or condition.max() < SUSPECT * np.median(condition):
        return near, notes
    for x in branch_points(mechanism)[1]:
        axis = runtime.chart.axes[x.axis]
        here = np.abs(own.z[:, x.axis] - x.at) < NEAR * x.half
        if here.any():
            near |= here
            width, where = axis.words.text(NEAR * x.half, 2), f"{axis.name} = {axis.words.text(x.at, 4)}"
            notes.append(f"nothing is compared within {width} of the branch point at {where}")
    return near, notes


def spots(runtime: Runtime, own: Configurations) -> Iterator[str]:
    """Tables over several axes that are compared here and there only, in words."""
    for axes in sorted({block.axes for block in partly_seen(runtime.chart, own.z[: own.rest]) if len(block.axes) > 1}):
        *others, last = (runtime.names[k] for k in axes)
        yield (
            f"tables over {', '.join(others)} and {last} are compared at {own.rest} configurations, in every cell "
            "along each of these, but not everywhere between"
        )


def all_places(natural: NaturalModel, charts: tuple[Runtime, ...], sampled: Sequence[Configurations]) -> list[Places]:
    """The configurations solved, chart after chart: each begins where another hands over to it."""
    found: dict[int, Places] = {0: solved(natural, charts[0], sampled[0], None)}
    waiting = [0]
    while waiting:
        here = waiting.pop()
        for border in charts[here].chart.borders:
            if border.chart not in found:
                nearest = int(np.argmin(np.abs(sampled[here].z[:, border.axis] - border.at)))
                found[border.chart] = solved(natural, charts[border.chart], sampled[border.chart], found[here][nearest])
                waiting.append(border.chart)
    return [found[number] for number in range(len(charts))]


def solved(natural: NaturalModel, runtime: Runtime, own: Configurations, start: Places | None) -> Places:
    """The configurations of a chart."""
    z = from_design(runtime, own.z)
    return natural.positions(dict(zip(runtime.names, z.T, strict=True)), start)


def sides(
    model: ReducedModel, mechanism: Mechanism, runtime: Runtime, own: Configurations, natural: NaturalModel, at: Places
) -> Side:
    """Both sides of a chart: all coordinates go through their tables in a second, this way or that.

    In every second motion stiff coordinates go through shares of their radii that add up to one; in the others they are
    still, so that accelerations have all their digits.
    """
    axes = runtime.chart.axes
    pace = np.array([axis.upper - axis.lower for axis in axes] + [stiff.radius for stiff in model.stiff])
    units = [axis.unit for axis in axes] + [stiff.unit for stiff in model.stiff]
    promise = Promise(
        tolerance=runtime.chart.certificate.tolerance,
        stiff_tolerance=max((stiff.tolerance for stiff in model.stiff), default=0.0),
        length=reference_length(mechanism),
        pace=pace,
        is_angle=np.array([unit == "rad" for unit in units]),
        nf=len(axes),
        rest=own.at_rest,
    )
    rng = np.random.default_rng(17)
    zd, zdd = rng.choice([-1.0, 1.0], (2, *own.z.shape)) * pace
    zd, zdd = floor_motion(runtime, own.z, zd, zdd)
    stirred = (np.arange(len(own.z)) % 2 == 1) & bool(model.stiff)
    shares = stirred / max(len(model.stiff), 1)
    zd[:, len(axes) :] *= shares[:, None]
    zdd[:, len(axes) :] *= shares[:, None]
    return Side(
        model=model,
        mechanism=mechanism,
        tables=table_motion(runtime, own.z, zd, zdd),
        witness=witness(natural, at, zd, zdd),
        promise=promise,
        stirred=stirred,
    )


def differences(item: Compared, runtime: Runtime, own: Configurations) -> Iterator[Difference]:
    """The worst of some numbers, by how much of its limit it takes: without deflection, and with."""
    excess = np.divide(item.error, item.limit, out=np.zeros_like(item.error), where=item.error != 0.0)
    excess[np.isnan(excess)] = np.inf
    for how, some in (("", np.flatnonzero(own.at_rest)), (", deflected", np.flatnonzero(~own.at_rest))):
        if some.size:
            i, which = np.unravel_index(int(np.argmax(excess[some])), excess[some].shape)
            yield difference(item, how, int(some[i]), int(which), runtime, own)


def difference(item: Compared, how: str, at: int, which: int, runtime: Runtime, own: Configurations) -> Difference:
    """One number at one configuration."""
    unit, factor = shown(item.units[which])
    name = item.names[which]
    return Difference(
        quantity=item.quantity + how,
        unit=unit,
        error=factor * float(item.error[at, which]),
        where=f"{name} at ".lstrip().removeprefix("at ") + ", ".join(place(runtime, own.z[at])),
        span=factor * float(np.ptp(item.exact[:, which])),
        limit=factor * float(item.limit[at, which]),
    )


def shown(unit: str) -> tuple[str, float]:
    """How people name a unit in SI, and the factor to it: mm, mm/s, deg ..."""
    base, slash, time = unit.partition("/")
    display = DISPLAY.get(base) if base in ("m", "rad") else None
    return (f"{display.name}{slash}{time}", display.factor) if display else (unit, 1.0)


def place(runtime: Runtime, z: Array) -> Iterator[str]:
    """A configuration in the units of the file; deflections only where there are any."""
    for axis, x in zip(runtime.chart.axes, z, strict=False):
        yield f"{axis.name} {axis.words.text(x, 4)}"
    for stiff, d in zip(runtime.model.stiff, z[runtime.nf :], strict=True):
        if d:
            yield f"{stiff.name} {stiff.words.text(d, 3)}"


def coverage(charts: Iterable[Runtime], sampled: Iterable[Configurations]) -> Iterator[Coverage]:
    """Of every axis and stiff coordinate of every chart."""
    for runtime, own in zip(charts, sampled, strict=True):
        several = f" (chart {own.chart + 1})" if len(runtime.model.charts) > 1 else ""
        axes = runtime.chart.axes if runtime.track is None else tabulated_axes(runtime.model)
        ends = [(axis.name, axis.words, axis.lower, axis.upper) for axis in axes]
        ends += [(stiff.name, stiff.words, stiff.lower, stiff.upper) for stiff in runtime.model.stiff]
        for (name, words, lower, upper), z in zip(ends, own.z.T[: len(ends)], strict=True):
            f = words.factor
            yield Coverage(
                f"{name}{several}", words.name, (f * float(z.min()), f * float(z.max())), (f * lower, f * upper)
            )
