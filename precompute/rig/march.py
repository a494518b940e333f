"""From the design position out along all cases at once.

Each case has two arms, one to either side of zero; all arms take their steps together.  Every few points they set a
post, and what lies between two posts is found at one go from the inner one: arrays are long, steps few.  A step that
fails is halved; before a post that cannot be reached points are found one by one, and the arm ends at the last of them,
while the rest goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from precompute.arrays import Array
from precompute.progress import Progress, unheard
from precompute.rig.balance import Rest, Setting, newton
from precompute.rig.cases import Case, setting
from precompute.rig.mechanics import WheelLoads
from precompute.rig.stand import Stand

POST = 5
"""Points from one post to the next."""

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

    def some(self, numbers: NDArray[np.int64]) -> Course:
        """Some of its samples."""
        rest, setting = self.rest.some(numbers), self.setting.some(numbers)
        return replace(self, values=self.values[numbers], rest=rest, setting=setting)


@dataclass(frozen=True, eq=False)
class Arm:
    """A case to one side of zero, and what was found of it."""

    case: Case
    values: Array  # (n,) of its input, outward from zero
    found: dict[int, Rest]  # states of rest by number

    def start(self, number: int, design: Rest) -> tuple[float, Rest]:
        """The last point found before one of a number, and its input."""
        before = max((k for k in self.found if k < number), default=None)
        return (0.0, design) if before is None else (float(self.values[before]), self.found[before])

    @property
    def reached(self) -> int:
        """How many points were found without a gap."""
        return next((k for k in range(len(self.values)) if k not in self.found), len(self.values))

    @property
    def end(self) -> tuple[float, float] | None:
        """The last value reached and the next, which was not; None if all were."""
        last = self.reached
        if last == len(self.values):
            return None
        return (float(self.values[last - 1]) if last else 0.0), float(self.values[last])


def march(
    stand: Stand, cases: Sequence[Case], values: Sequence[Array], progress: Progress = unheard
) -> tuple[Course, ...]:
    """Follow cases over values of their inputs (each (n,) [SI]), from the design position."""
    arms, own = [], []
    for case, given in zip(cases, values, strict=True):
        ordered = np.unique(np.asarray(given, dtype=float))
        own.append([Arm(case, ordered[ordered > 0.0], {}), Arm(case, ordered[ordered < 0.0][::-1], {})])
        arms += own[-1]
    posts = [[*range(POST - 1, len(arm.values), POST)] for arm in arms]
    walk(stand, arms, posts)
    progress("equilibria between", 0.6)
    beyond = [arm.reached if not arm.found else max(arm.found) + 1 for arm in arms]
    between = [(arm, k) for arm, last in zip(arms, beyond, strict=True) for k in range(last) if k not in arm.found]
    visit(stand, between)
    walk(stand, arms, [[*range(last, len(arm.values))] for arm, last in zip(arms, beyond, strict=True)])
    return tuple(
        joined_arms(stand, case, mine, 0.0 in np.asarray(given))
        for case, mine, given in zip(cases, own, values, strict=True)
    )


def walk(stand: Stand, arms: Sequence[Arm], numbers: Sequence[Sequence[int]]) -> None:
    """Visit points of all arms one after the other, each arm as far as it goes."""
    going = list(range(len(arms)))
    for step in range(max((len(some) for some in numbers), default=0)):
        going = [i for i in going if step < len(numbers[i])]
        visit(stand, [(arms[i], numbers[i][step]) for i in going])
        going = [i for i in going if numbers[i][step] in arms[i].found]


def visit(stand: Stand, points: Sequence[tuple[Arm, int]]) -> None:
    """Find points of arms, all at once, each from the last one found before it."""
    if not points:
        return
    starts = [arm.start(number, stand.rest) for arm, number in points]
    before = [setting(stand, arm.case, np.array([value])) for (arm, _), (value, _) in zip(points, starts, strict=True)]
    after = [setting(stand, arm.case, arm.values[[number]]) for arm, number in points]
    start = joined([rest for _, rest in starts])
    state, reached = advance(stand, start, joined_settings(before), joined_settings(after), HALVINGS)
    for k, (arm, number) in enumerate(points):
        if reached[k]:
            arm.found[number] = state.some(np.array([k]))


def joined_arms(stand: Stand, case: Case, arms: Sequence[Arm], zero: bool) -> Course:
    """A case of its arms, as far as they have no gap; with the design position, if it was asked for."""
    points = [(float(arm.values[k]), arm.found[k]) for arm in arms for k in range(arm.reached)]
    points += [(0.0, stand.rest)] if zero else []
    points.sort(key=lambda point: point[0])
    values = np.array([value for value, _ in points])
    rest = joined([state for _, state in points]) if points else repeated(stand.rest, 0)
    ends = tuple(arm.end for arm in arms if arm.end is not None)
    return Course(case, values, rest, setting(stand, case, values), ends)


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
