"""What `kinetab verify` says: what was covered, every error beside its limit, and the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from precompute.verify.findings import Coverage, DeviceCoverage, Difference, DynamicCheck, KinematicCheck
from precompute.verify.verification import Verification

SHOWN = 6
"""Quantities of the tables that are listed: those nearest to their limits."""


def verified(result: Verification) -> str:
    """All of it; the last line is the verdict."""
    lines = [
        f"{result.name}: {headline(result)}",
        "",
        *kinematic_lines(result.kinematics, {c.coordinate for c in result.dynamics.coverage}),
        "",
        *dynamic_lines(result.dynamics),
        "",
        *(f"  {fault}" for fault in result.faults),
        "PASS" if result.passed else "FAIL",
    ]
    return "\n".join(lines)


def headline(result: Verification) -> str:
    """How near to its limits the whole comes."""
    worst = max((*result.kinematics.differences, *result.differences), key=lambda d: d.excess, default=None)
    if worst is None:
        return "nothing was compared"
    return f"errors are at most {percent(worst.excess)} of their limits ({worst.quantity})"


def kinematic_lines(found: KinematicCheck, axes: set[str]) -> Iterator[str]:
    """The tables; what is covered is listed of the axes, and summed up of stiff coordinates."""
    yield f"Tables against kinematics in natural coordinates, at {found.configurations} configurations"
    yield from coverage_lines([c for c in found.coverage if c.coordinate in axes])
    if stiff := [c.share for c in found.coverage if c.coordinate not in axes]:
        yield f"  covered {len(stiff)} deflections up to their radius, each by {percent(min(stiff))} at least"
    ordered = sorted(found.differences, key=lambda d: -d.excess)
    listed = [d for d in ordered if not d.passes] or ordered[:SHOWN]
    if len(ordered) > len(listed):
        yield f"  of {len(ordered)} quantities, those {'above' if not listed[0].passes else 'nearest to'} their limits:"
    width = max((len(d.quantity) for d in listed), default=0)
    for d in listed:
        yield f"  {d.quantity:<{width}}  {d.error:8.2g} of {d.limit:8.2g} {d.unit:<5}{mark(d)}  at {d.where}"
    yield from (f"  {note}" for note in found.notes)


def dynamic_lines(found: DynamicCheck) -> Iterator[str]:
    """The motion."""
    legs = f" in {found.legs} legs, since errors grow on the way," if found.legs > 1 else ""
    yield f"Motion against the full model (maximal coordinates, multipliers), {found.stop:.3g} s{legs}"
    yield f"  {found.manner}"
    yield from coverage_lines(found.coverage)
    yield from device_lines(found.devices)
    if found.strained:
        yield f"  deflections: up to {percent(found.strain)} of what their tables are good for ({found.strained})"
    width = max((len(d.quantity) for d in found.differences), default=0)
    yield f"  {'':<{width}}   error  own step     limit     moved"
    for d, own in zip(found.differences, found.own, strict=True):
        numbers = f"{d.error:8.2g}  {own.error:8.2g}  {d.limit:8.2g}  {d.span:8.4g}"
        yield f"  {d.quantity:<{width}} {numbers} {d.unit:<4}{mark(d)}  at {d.where}"
    yield f"  error: the tables', the FMU in steps of {found.fine:g} s; own step: in its own of {found.step:g} s"
    if coarse := [d for d in found.own if not d.passes]:
        worst = max(coarse, key=lambda d: d.excess)
        yield (
            f"  own steps cost up to {worst.excess:.2g} times the limit ({worst.quantity}); shorter ones: --set "
            f"solver.step={0.5 * found.step:g}"
        )
    yield f"  full model: constraint residual {1e3 * found.residual:.1e} mm"
    yield from (f"  {note}" for note in found.notes)


def coverage_lines(coverage: Sequence[Coverage]) -> Iterator[str]:
    """A line per coordinate."""
    width = max((len(c.coordinate) for c in coverage), default=0)
    for c in coverage:
        (low, high), (lower, upper) = c.covered, c.table
        yield (
            f"  covered {c.coordinate:<{width}} {percent(c.share):>6}: {low:.4g} to {high:.4g} {c.unit} of {lower:.4g} "
            f"to {upper:.4g} {c.unit}"
        )
        if c.limited_by:
            yield f"    limited: {c.limited_by}"


def device_lines(devices: Sequence[DeviceCoverage]) -> Iterator[str]:
    """A line per element with formulas."""
    for device in devices:
        parts = [("", device.states), ("force ", device.forces), ("input ", device.inputs)]
        told = [f"{what}{name} {low:.4g} to {high:.4g}" for what, s in parts for name, (low, high) in s.items()]
        yield f"  element {device.name}: {', '.join(told) or 'no force, no state'}"


def coverage_warnings(result: Verification) -> Iterator[str]:
    """Of coordinates that hardly moved."""
    for c in result.dynamics.coverage:
        if c.hardly:
            yield f"the motion covers only {percent(c.share)} of the table of {c.coordinate}, so it says little"
    for device in result.dynamics.devices:
        if device.idle:
            yield f"element '{device.name}' does nothing in the motion, so it says nothing of that"


def mark(d: Difference) -> str:
    """Whether it is within its limit."""
    return "" if d.passes else "  ABOVE"


def percent(share: float) -> str:
    """A share in per cent."""
    return f"{100.0 * share:.3g} %"
