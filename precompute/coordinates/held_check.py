"""Whether couplings hold over all that the coordinates do: curves reach far enough, and what is periodic comes back."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from precompute.arrays import Array
from precompute.coordinates.independent import Coordinates
from precompute.errors import SweepError
from precompute.kinematics.assembly import Configuration
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.continuation import follow

SLACK = 1e-9
"""A curve may be left by this share of what it covers: the rounding of a range that ends where it does."""

WHOLE = 1e-6
"""Turns, or reference lengths: how near whole turns, or where it was, a joint must come to have come back."""


def check_curves(closure: Closure, q: Array) -> None:
    """At configurations q (n, nq) no measure that is followed by a table may be beyond its rows.

    Raises:
        SweepError: names the coupling, where its table ends and where the motion goes.
    """
    m = closure.mechanism
    curved = [(c.name, part) for c in m.couplings for part in c.of.parts if part.curve is not None]
    P = closure.poses(q) if curved else None
    for name, part in curved:
        assert P is not None and part.curve is not None
        x, (first, last) = part.of.value(P), part.curve.x[[0, -1]].tolist()
        lower, upper = float(x.min()), float(x.max())
        if part.curve.covers(lower, upper, SLACK * (last - first)):
            continue
        end, reached = (first, lower) if lower < first else (last, upper)
        raise SweepError(
            f"coupling '{name}': its table ends at {part.of.shown(m, end)}, but within the ranges of the coordinates "
            f"the {part.of.name} gets to {part.of.shown(m, reached)}. Add rows, or reduce the range."
        )


def check_turns(coordinates: Coordinates, design: Configuration) -> None:
    """While a periodic coordinate makes one turn, all joints of couplings make whole turns, or come back.

    Raises:
        SweepError: names the joint, its ratio and the coupling that gives it.
    """
    closure = coordinates.closure
    for k, c in enumerate(coordinates.free):
        if not (c.periodic and closure.mechanism.couplings):
            continue
        ahead = coordinates.design + 2.0 * np.pi * np.eye(len(coordinates.free))[k]
        step = follow(closure, design.q[None], coordinates.design[None], ahead[None])
        if not step.reached[0]:
            continue  # the sweep tells where the motion ends
        for name, joint, growth in returns(closure, step.q[0] - design.q):
            raise SweepError(
                f"'{c.name}' is periodic, but while it makes one turn joint '{joint}' {growth}, as coupling '{name}' "
                "has it: the mechanism does not come back to itself. A periodic coordinate needs ratios that are whole "
                f"numbers; give '{c.name}' a range without `periodic`, or make the joint that turns slowest the "
                "coordinate."
            )


def returns(closure: Closure, grown: Array) -> Iterator[tuple[str, str, str]]:
    """Couplings with joints that do not come back where q has grown by so much (nq,), and what these do instead."""
    m, t = closure.mechanism, closure.topology
    known = {c.name: dict(t.held)[f"coupling.{c.name}"] for c in m.couplings}
    for (joint, i), (place, _) in t.scalars.items():
        growth, name = float(grown[place]), next((name for name, joints in known.items() if joint in joints), None)
        if name is None:
            continue
        if m.joint(joint).primitives[i].kind == "rotation":
            turns = growth / (2.0 * np.pi)
            if abs(turns - round(turns)) > WHOLE:
                yield name, joint, f"makes {turns:.6g} turns"
        elif abs(growth) > WHOLE * closure.length:
            yield name, joint, f"moves by {m.units.shown(growth)}"
