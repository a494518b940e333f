"""What a user asks for, in words: names of variables and places, metrics at positions of the rig."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations

from precompute.design.moved import Design
from precompute.design.variables import XYZ
from precompute.errors import PrecomputeError
from precompute.model.mechanism import Mechanism
from precompute.redesign.changing import Method, Redesign, redesigned
from precompute.redesign.holding import read_hold
from precompute.rig.quantities import parsed_input, unit_of

JOINTS = "joints"
"""What absorbs a change where joints may stand elsewhere at design."""


def redesign(
    mechanism: Mechanism,
    change: Mapping[str, float],
    absorb: Sequence[str] = (),
    hold: Sequence[str] = (),
    method: Method = "least",
    steps: int = 1,
) -> Redesign:
    """Change design variables, with the least change of others that closes the loops and keeps metrics.

    Args:
        mechanism: before.
        change: by how much variables change [SI].
        absorb: names of variables that may change too, "point.inner" for all three of a place, "joints" for how joints
            stand at design.
        hold: metrics that are to stay, as "wheel.left.toe@travel=30" [mm, deg, N, N m], and variables that may not
            absorb.
        method: "least" for the least change of all, "increments" for accumulated steps of minimum norm.
        steps: into which increments divide the change.

    Raises:
        MechanismError: a variable is not known, or the mechanism is faulty with the changes.
        PrecomputeError: a metric or position is not known, a variable is asked for twice, or the change cannot be
            absorbed; the message says what else could.
    """
    design = Design.of(mechanism)
    absorbing = expanded([word for word in absorb if word != JOINTS], design)
    fixed = expanded([word for word in hold if "@" not in word], design)
    check_apart({"change": [*change], "absorb": absorbing, "hold": fixed})
    holds = [read_hold(word, mechanism, partial(at, word, mechanism)) for word in hold if "@" in word]
    return redesigned(mechanism, change, absorbing, holds, JOINTS in absorb, method, steps)


def expanded(names: Sequence[str], design: Design) -> list[str]:
    """Names of variables, those of all three coordinates in place of a point or other place.

    Raises:
        MechanismError: a name is not known.
    """
    every = [[f"{name}.{axis}" for axis in XYZ] if f"{name}.x" in design.variables else [name] for name in names]
    return [variable.name for variable in design.chosen(list(dict.fromkeys(n for some in every for n in some)))]


def check_apart(named: Mapping[str, Sequence[str]]) -> None:
    """Raise where a variable is to do two things.

    Raises:
        PrecomputeError: it says all of them.
    """
    problems = []
    for (one, names), (other, others) in combinations(named.items(), 2):
        if both := [name for name in names if name in others]:
            problems.append(f"{', '.join(both)}: asked to {one} and to {other}; keep one of them")
    if problems:
        raise PrecomputeError("\n".join(problems))


def at(word: str, mechanism: Mechanism, name: str, value: str) -> float:
    """The value of an input of the rig [SI]; without a unit it is in mm, deg, N or N m."""
    steering = next((axle.steering for axle in mechanism.axles if axle.steering is not None), None)
    turns = steering is not None and steering.is_angle(mechanism)
    try:
        found = parsed_input(name, value, turns)
        if not math.isfinite(found):
            raise PrecomputeError(f"'{value}' is not a finite number")
    except PrecomputeError as error:
        raise PrecomputeError(f"'{word}': {error}") from None
    return found / unit_of(name, turns)[1]
