"""How bodies, points and measures move at solved positions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from precompute.arrays import Array
from precompute.model.mechanism import GROUND, Measure, Mechanism
from precompute.natural.jets import Jet
from precompute.natural.measure_kinds import measured
from precompute.natural.measuring import TURN, Poses, counted, point, turns
from precompute.natural.system import NaturalSystem


@dataclass(frozen=True, eq=False)
class BodyMotion:
    """Of one body, in ground axes."""

    p: Array  # (n, 3) centre of mass [m]; of the ground its origin
    R: Array  # (n, 3, 3) rotation since design
    v: Array  # (n, 3) [m/s]
    w: Array  # (n, 3) angular velocity [rad/s]
    a: Array  # (n, 3) [m/s2]
    alpha: Array  # (n, 3) angular acceleration [rad/s2]
    jerk: Array  # (n, 3) of the centre of mass [m/s3]


@dataclass(frozen=True, eq=False)
class PointMotion:
    """Of one point of a body, in ground axes."""

    p: Array  # (n, 3) [m]
    v: Array  # (n, 3)
    a: Array  # (n, 3)
    jerk: Array  # (n, 3)


@dataclass(frozen=True, eq=False)
class Scalars:
    """Of one measure."""

    value: Array  # (n,) [m or rad]; angles of joints count their laps
    rate: Array  # (n,)
    acceleration: Array  # (n,)
    jerk: Array  # (n,)


@dataclass(frozen=True, eq=False)
class Moved:
    """Bodies, points and measures in motion at n places.

    A link between two balls that nothing holds against spinning is turned by the least rotation from design.
    """

    mechanism: Mechanism
    system: NaturalSystem
    x: Jet  # four of (n, nx)
    angles: Array  # (n, na) of all rotations, counted

    @cached_property
    def _poses(self) -> Poses:
        return self.system.poses(self.x)

    def body(self, name: str) -> BodyMotion:
        """Motion of a body by its centre of mass."""
        com = np.zeros(3) if name == GROUND else next(b.com for b in self.mechanism.bodies if b.name == name)
        p, R = point(self._poses, name, com), self._poses[name][1]
        back = np.swapaxes(R[0], 1, 2)
        return BodyMotion(p[0], R[0], p[1], axial(R[1] @ back), p[2], axial(R[2] @ back), p[3])

    def point(self, body: str, p: Array) -> PointMotion:
        """Motion of the point of a body that is at p (3,) at design, in G."""
        return PointMotion(*point(self._poses, body, p))

    def measure(self, measure: Measure) -> Scalars:
        """Value and derivatives of any measure, by formulas of `measure_kinds`; of a sum term by term."""
        found = [tuple(factor * d for d in self._term(term)) for factor, term in measure.terms]
        value, *rates = (np.sum(each, axis=0) for each in zip(*found, strict=True))
        return Scalars(value, *rates)

    def _term(self, measure: Measure) -> Jet:
        value, *rates = measured(self.mechanism, self.system.links, self._poses, measure)
        for number, (joint, index) in enumerate(turns(self.system.links)):
            if measure.primitive_of(joint) == index:
                value = counted(value, self.angles[:, number])
        if (lap := measure.lap) is not None:
            turned = 0.0 if lap.turning is None else self.measure(lap.turning).value
            angle = measured(self.mechanism, self.system.links, self._poses, lap.angle)[0]
            value = value + lap.per_turn * np.round((lap.first - turned - angle) / TURN)
        return (value, *rates)


@dataclass(frozen=True, eq=False)
class Columns:
    """Velocities per unit rate of each independent coordinate, in the order of `names`."""

    names: tuple[str, ...]
    moved: Moved  # n nz places, each with one coordinate in motion

    def body(self, name: str) -> tuple[Array, Array]:
        """V (n, 3, nz) of the centre of mass and w (n, 3, nz)."""
        motion = self.moved.body(name)
        return self._columns(motion.v), self._columns(motion.w)

    def point(self, body: str, p: Array) -> Array:
        """(n, 3, nz) of the point of a body that is at p (3,) at design."""
        return self._columns(self.moved.point(body, p).v)

    def measure(self, measure: Measure) -> Array:
        """(n, nz) gradient of a measure."""
        return self.moved.measure(measure).rate.reshape(-1, len(self.names))

    def _columns(self, v: Array) -> Array:
        return np.swapaxes(v.reshape(-1, len(self.names), 3), 1, 2)


def axial(A: Array) -> Array:
    """The vector of the antisymmetric part of A (n, 3, 3).  -> (n, 3)."""
    return 0.5 * np.stack([A[:, i, j] - A[:, j, i] for i, j in ((2, 1), (0, 2), (1, 0))], axis=1)
