"""K&C curves of many designs at one go: a case of an axle, for any changes of some design variables.

Where wheels and steering alone determine the motion and metrics are of position and velocity, no force matters: designs
times points are a batch of configurations, each closed from that of the mechanism at the same point (`closing`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from precompute.arrays import Array
from precompute.design.moved import Design
from precompute.design.places import Origins, Places
from precompute.kc.registry import METRICS
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.poses import Poses, design_configuration
from precompute.model.mechanism import Measure
from precompute.rig.cases import Case, copy_signs
from precompute.rig.gradients import quietly
from precompute.rig.march import Course
from precompute.rig.records import moved_elements
from precompute.rig.stand import Stand
from precompute.study.closing import Anchor, close, moving
from precompute.study.many import ManyClosure, NotMany, many_measure, many_mechanism
from precompute.study.records import Standing, records

SAMPLES = 2000
"""Configurations that are computed together: many more do not fit into the caches."""

PRESCRIBED = ("bump", "single_bump", "steering")
"""Cases in which the rig prescribes all heights."""


@dataclass(frozen=True, eq=False)
class Found:
    """Columns of n designs over m points of a case."""

    columns: Mapping[str, Array]  # (n, m) each, SI units, ISO 8855; nan where there is none
    found: NDArray[np.bool_]  # (n, m) configurations


@dataclass(frozen=True, eq=False)
class Path:
    """What a case prescribes of the coordinates, over samples: its points, and copies that differ."""

    closure: Closure  # of the mechanism; its coordinates are what the case holds
    offsets: Array  # (samples, nz) from design height and straight on
    anchor: Anchor  # at all samples
    numbers: NDArray[np.intp]  # (points, copies) the sample of each


@dataclass(frozen=True, eq=False)
class Together:
    """A case of an axle, for many designs at once."""

    stand: Stand  # of the mechanism
    origins: Origins
    metrics: tuple[str, ...]
    path: Path
    drawn: Anchor | None  # where its inputs close it as it is drawn; None if it has others than coordinates
    rest: Anchor  # at design height

    @classmethod
    def of(cls, design: Design, names: Sequence[str], stand: Stand, course: Course, metrics: Sequence[str]) -> Together:
        """Of an axle that was led through a case.

        Raises:
            NotMany: forces matter, or something else that is only known design by design.
        """
        if reason := why_not(stand, course.case, metrics):
            raise NotMany(reason)
        closure = stand.rig.bench.closure
        inputs = inputs_of(closure)
        drawn = (
            Anchor.of(inputs, stand.rig.bench.q[None]) if len(inputs.coordinates) == stand.rig.bench.z.size else None
        )
        rest = Anchor.of(closure, stand.rest.q[0, :1])
        return cls(stand, Origins.of(design, names), tuple(metrics), path_of(stand, course), drawn, rest)

    def columns(self, changes: Array) -> Found:
        """Of designs with these changes (n, number of variables) [SI]."""
        size = max(1, SAMPLES // len(self.path.offsets))
        parts = [self._block(changes[start : start + size]) for start in range(0, len(changes), size)]
        names = dict.fromkeys(name for part in parts for name in part.columns)
        found = np.concatenate([part.found for part in parts])
        return Found({name: np.concatenate([part.columns[name] for part in parts]) for name in names}, found)

    def _block(self, changes: Array, anew: bool = False) -> Found:
        """The same, all at once; what is not found is looked for anew."""
        here = self._standing(changes, anew)
        columns, _ = quietly(records(here.standing), list(self.metrics))
        found: NDArray[np.bool_] = np.logical_and.reduce(here.found[:, self.path.numbers], axis=-1)
        out = {name: np.where(found, column, np.nan) for name, column in columns.items()}
        left = np.flatnonzero(~found.all(axis=1))
        if left.size and not anew:
            again = self._block(changes[left], anew=True)
            found[left] = again.found
            for name, column in out.items():
                column[left] = again.columns[name]
        return Found(out, found)

    def _standing(self, changes: Array, anew: bool) -> _Here:
        """The axle of all designs, in all samples."""
        n, bench, path = len(changes), self.stand.rig.bench, self.path
        places = self.origins.many(changes)
        mechanism = many_mechanism(bench.mechanism, places)
        travels = ManyClosure.of(bench.closure, mechanism, places)
        own = ManyClosure.of(path.closure, mechanism, places)
        z, good = self._design(travels, places, n, anew)
        if path.closure is not bench.closure:
            rest = close(travels, self.rest, z, anew)
            z, good = own.values(own.poses(rest.q)), good & rest.found
        z = z + path.offsets
        closed = close(own, path.anchor, z, anew)
        going = moving(own, path.anchor, closed.q, np.eye(z.shape[-1]))
        steering = None if self.stand.steering is None else z[..., self.stand.steering]
        measures = {i: many_measure(of, places) for i, of in acted_on(self.stand).items()}
        standing = Standing(self.stand, measures, going.places, going.B, steering, path.numbers)
        return _Here(standing, closed.found & going.regular & good)

    def _design(self, travels: ManyClosure, places: Places, n: int, anew: bool) -> tuple[Array, NDArray[np.bool_]]:
        """(n, 1, nz) coordinates at design height, held where they are once the design is assembled; whether it is."""
        bench = self.stand.rig.bench
        held, z, good = list(bench.held), np.zeros((n, 1, bench.z.size)), np.ones((n, 1), dtype=bool)
        if not held:
            return z, good
        q = np.broadcast_to(design_configuration(bench.mechanism, travels.topology), (n, 1, travels.topology.nq))
        P = travels.poses(q)
        good = np.abs(travels.gap(P)).max(axis=-1, initial=0.0) <= travels.gap_tolerance
        if not good.all() and self.drawn is not None:
            P, good = self._assembled(travels, places, P, good, anew)
        z[..., held] = travels.values(P)[..., held]
        return z, good

    def _assembled(
        self, travels: ManyClosure, places: Places, P: Poses, good: NDArray[np.bool_], anew: bool
    ) -> tuple[Poses, NDArray[np.bool_]]:
        """Designs that are drawn open, closed with the inputs where they are drawn."""
        assert self.drawn is not None
        inputs = ManyClosure.of(inputs_of(travels.plain), travels.mechanism, places)
        closed = close(inputs, self.drawn, inputs.values(P), anew)
        return travels.poses(np.where(good[..., None], P.q, closed.q)), good | closed.found


@dataclass(frozen=True, eq=False)
class _Here:
    standing: Standing
    found: NDArray[np.bool_]  # (n, samples)


def why_not(stand: Stand, case: Case, metrics: Sequence[str]) -> str | None:
    """Why the designs of a mechanism have to be computed one by one; None if they have not."""
    bench, choices = stand.rig.bench, stand.choices
    loose = bench.names[len(bench.wheels) + len(bench.held) :]
    if loose:
        return f"'{loose[0]}' finds its place by equilibrium"
    if case.name not in PRESCRIBED:
        return f"case {case.name} changes loads"
    if choices.travel != "centre" or (case.name == "steering" and choices.held == "patch"):
        return "the rig holds contact points at their heights"
    statics = [name for name in metrics if METRICS[name].order == "statics"]
    return f"{statics[0]} is a metric of statics" if statics else None


def inputs_of(closure: Closure) -> Closure:
    """The coordinates of the file, which are held while it is assembled."""
    own = closure.mechanism.coordinates or ()
    return Closure(closure.mechanism, closure.topology, tuple(c.of for c in own))


def acted_on(stand: Stand) -> dict[int, Measure]:
    """What springs, dampers and elements act on that the wheels move, by their numbers."""
    acting = stand.mechanism.acting
    return {number: acting[number] for side in stand.sides for number in moved_elements(stand, side)}


def path_of(stand: Stand, course: Course) -> Path:
    """What a case prescribes, and the configurations of the mechanism along it."""
    case, bench, n = course.case, stand.rig.bench, len(course.values)
    offsets = np.zeros((n, stand.copies, bench.z.size))
    for side, factor in zip(stand.sides, case.heights, strict=True):
        offsets[:, side.copy, side.wheel] += factor * course.values
    if case.steer and stand.steering is not None:
        offsets[..., stand.steering] = case.steer * course.values[:, None] * np.array(copy_signs(stand))
    closure = bench.closure
    if case.pads == "held" and stand.choices.held == "spring":
        closure = replace(closure, coordinates=sprung(stand))
    copies = 1 if (offsets == offsets[:, :1]).all() else stand.copies
    q = course.rest.q[:, :copies].reshape(n * copies, -1)
    numbers = np.arange(n)[:, None] * copies + np.arange(stand.copies) % copies
    return Path(closure, offsets[:, :copies].reshape(n * copies, -1), Anchor.of(closure, q), numbers)


def sprung(stand: Stand) -> tuple[Measure, ...]:
    """The coordinates of a bench with the springs of the axle's wheels in place of their travels."""
    found, acts_on = list(stand.rig.bench.closure.coordinates), stand.rig.laws.acts_on
    for side in stand.sides:
        if (k := stand.rig.main_springs[side.wheel]) is not None:
            found[side.wheel] = stand.mechanism.springs[acts_on.index(k)].on
    return tuple(found)
