"""From the design position out along all cases at once.

Each case has two arms, one to either side of zero; all arms take their steps together.  A step that fails is halved; an
arm whose step fails for good ends there, and the rest goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from precompute.arrays import Array
from precompute.rig.balance import Rest, Setting, newton
from precompute.rig.cases import Case, setting
from precompute.rig.mechanics import WheelLoads
from precompute.rig.stand import Stand

HALVINGS = 5
"""A step is cut into at most 2^5 pieces before it is given up."""


@dataclass(frozen=True, eq=False)
class Course:
    """A case as far as it could be followed."""

    case: Case
    values: Array  # (n,) of its input, ascending [SI]
    rest: Rest  # n samples
    setting: Setting
    ends: tuple[tuple[float, float], ...]  # where it ended early: the last value reached, and the next, which was not


def march(stand: Stand, cases: Sequence[Case], values: Sequence[Array]) -> tuple[Course, ...]:
    """Follow cases over values of their inputs (each (n,) [SI]), from the design position."""
    arms = []
    for number, own in enumerate(values):
        ordered = np.unique(np.asarray(own, dtype=float))
        arms += [(number, ordered[ordered > 0.0]), (number, ordered[ordered < 0.0][::-1])]
    here = [repeated(stand.rest, 1) for _ in arms]
    at = [0.0] * len(arms)
    found: list[list[tuple[float, Rest]]] = [[] for _ in arms]
    ended: dict[int, tuple[float, float]] = {}
    for step in range(max((len(steps) for _, steps in arms), default=0)):
        moving = [i for i, (_, steps) in enumerate(arms) if step < len(steps) and i not in ended]
        if not moving:
            break
        start = joined([here[i] for i in moving])
        before = joined_settings([setting(stand, cases[arms[i][0]], np.array([at[i]])) for i in moving])
        after = joined_settings([setting(stand, cases[arms[i][0]], arms[i][1][[step]]) for i in moving])
        state, reached = advance(stand, start, before, after, HALVINGS)
        for k, i in enumerate(moving):
            value = float(arms[i][1][step])
            if reached[k]:
                here[i], at[i] = state.some(np.array([k])), value
                found[i].append((value, here[i]))
            else:
                ended[i] = (at[i], value)
    courses = []
    for number, case in enumerate(cases):
        mine = [i for i, (owner, _) in enumerate(arms) if owner == number]
        points = [point for i in mine for point in found[i]]
        if 0.0 in np.asarray(values[number]):
            points.append((0.0, stand.rest))
        points.sort(key=lambda point: point[0])
        reached_values = np.array([value for value, _ in points])
        rest = joined([state for _, state in points]) if points else repeated(stand.rest, 0)
        ends = tuple(ended[i] for i in mine if i in ended)
        courses.append(Course(case, reached_values, rest, setting(stand, case, reached_values), ends))
    return tuple(courses)


def advance(stand: Stand, state: Rest, here: Setting, there: Setting, halvings: int) -> tuple[Rest, NDArray[np.bool_]]:
    """From states of rest under one setting to another; those that are not found stay as they were."""
    state, found = newton(stand.rig, state, there)
    failed = np.flatnonzero(~found)
    if failed.size == 0 or halvings == 0:
        return state, found
    start, a, b = state.some(failed), here.some(failed), there.some(failed)
    middle = b.between(a, 0.5)
    half, reached = advance(stand, start, a, middle, halvings - 1)
    onward = np.flatnonzero(reached)
    if onward.size:
        last, done = advance(stand, half.some(onward), middle.some(onward), b.some(onward), halvings - 1)
        good = onward[done]
        state.put(failed[good], last.some(np.flatnonzero(done)))
        found[failed[good]] = True
    return state, found


def repeated(rest: Rest, n: int) -> Rest:
    """One sample, n times."""
    return Rest(*(np.repeat(x, n, axis=0) for x in (rest.q, rest.z, rest.pads, rest.reactions)))


def joined(states: Sequence[Rest]) -> Rest:
    """Samples one after the other."""
    return Rest(*(np.concatenate([getattr(s, name) for s in states]) for name in ("q", "z", "pads", "reactions")))


def joined_settings(settings: Sequence[Setting]) -> Setting:
    """The same of settings."""
    loads = WheelLoads(
        *(np.concatenate([getattr(s.loads, name) for s in settings]) for name in ("patch", "centre", "moment"))
    )
    parts = [np.concatenate([getattr(s, name) for s in settings]) for name in ("A_u", "A_F", "b", "held", "road")]
    return Setting(parts[0], parts[1], parts[2], parts[3], loads, parts[4])
