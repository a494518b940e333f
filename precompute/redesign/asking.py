"""What a user asks for, in words: names of variables and places, metrics at positions of the rig."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import TypeVar

from precompute.design.moved import Design
from precompute.design.variables import XYZ
from precompute.errors import MechanismError, PrecomputeError
from precompute.model.mechanism import Mechanism
from precompute.redesign.changing import Method, Redesign, redesigned
from precompute.redesign.holding import Hold, read_hold
from precompute.rig.quantities import parsed_input, unit_of

T = TypeVar("T")

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
        PrecomputeError: nothing is to change, a variable, metric or position is not known or a variable is asked for
            twice (all of these at once); the mechanism is faulty with the changes; or the change cannot be absorbed:
            the message says what else could.
    """
    if not change:
        raise PrecomputeError("nothing is asked to change: name a design variable, as point.outer.z, and by how much")
    design, problems = Design.of(mechanism), list[str]()
    absorbing = noted(problems, lambda: expanded([word for word in absorb if word != JOINTS], design))
    fixed = noted(problems, lambda: expanded([word for word in hold if "@" not in word], design))
    problems += asked_twice({"change": [*change], "absorb": absorbing, "hold": fixed})
    holds = list[Hold]()
    for word in filter(lambda word: "@" in word, hold):
        holds += noted(problems, partial(held, word, mechanism))
    if problems:
        raise PrecomputeError("\n".join(problems))
    return redesigned(mechanism, change, absorbing, holds, JOINTS in absorb, method, steps)


def held(word: str, mechanism: Mechanism) -> list[Hold]:
    """The metric at a position that a word names."""
    return [read_hold(word, mechanism, partial(at, word, mechanism))]


def noted(problems: list[str], read: Callable[[], list[T]]) -> list[T]:
    """What is read; nothing where it is faulty, with what is wrong added to the problems."""
    try:
        return read()
    except MechanismError as error:
        problems.extend(error.problems)
    except PrecomputeError as error:
        problems.append(str(error))
    return []


def expanded(names: Sequence[str], design: Design) -> list[str]:
    """Names of variables, those of all three coordinates in place of a point or other place.

    Raises:
        MechanismError: a name is not known.
    """
    every = [[f"{name}.{axis}" for axis in XYZ] if f"{name}.x" in design.variables else [name] for name in names]
    return [variable.name for variable in design.chosen(list(dict.fromkeys(n for some in every for n in some)))]


def asked_twice(named: Mapping[str, Sequence[str]]) -> list[str]:
    """Problems: variables that are to do two things."""
    problems = []
    for (one, names), (other, others) in combinations(named.items(), 2):
        if both := [name for name in names if name in others]:
            problems.append(f"{', '.join(both)}: asked to {one} and to {other}; keep one of them")
    return problems


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
