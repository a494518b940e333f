"""An axle on the rig: where its two wheels are, and what the rig does to them.

An axle with one corner stands there twice; the second copy is looked at in a mirror across the vehicle's middle plane,
so that a force to the left acts on it to the right, and steering the other way.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from precompute.arrays import Array
from precompute.errors import PrecomputeError
from precompute.kc.record import Choices
from precompute.model.mechanism import Axle, Mechanism, nearest
from precompute.rig.balance import HEIGHTS, Rest, Rig, Setting, flattened, newton
from precompute.rig.bench import bench
from precompute.rig.mechanics import WheelLoads, load_forces
from precompute.rig.preloads import with_preloads

MIRROR = np.diag([1.0, -1.0, 1.0])
"""Across the middle plane, in axes of ISO 8855; what turns (twists, moments) gets the other sign besides."""


UNHELD = 1e-12
"""Least stiffness of what gives way, over the largest: below it nothing holds it."""


@dataclass(frozen=True)
class Place:
    """Where a wheel of the axle is: in which copy, the number of the wheel, and whether it is seen in the mirror."""

    copy: int
    wheel: int
    mirrored: bool = False


@dataclass(frozen=True, eq=False)
class Stand:
    """An axle on the rig."""

    rig: Rig
    axle: Axle
    sides: tuple[Place, Place]  # left, right
    choices: Choices

    @property
    def mechanism(self) -> Mechanism:
        """What is on the rig."""
        return self.rig.bench.mechanism

    @property
    def copies(self) -> int:
        """How often the mechanism stands there."""
        return 1 + any(side.mirrored for side in self.sides)

    @property
    def steering(self) -> int | None:
        """The number of the coordinate that steers it, if any does."""
        bench = self.rig.bench
        if self.axle not in bench.mechanism.axles:
            return None
        return bench.steering[bench.mechanism.axles.index(self.axle)]

    @cached_property
    def track(self) -> float:
        """Distance of the contacts across the vehicle, at design [m]."""
        left, right = (self.contact(side) for side in self.sides)
        return float((left - right)[1])

    def contact(self, side: Place) -> Array:
        """(3,) of a wheel at design, in axes of ISO 8855 [m]."""
        axes = self.mechanism.axes
        point = axes.R @ self.rig.bench.wheels[side.wheel].contact(axes)
        return MIRROR @ point if side.mirrored else point

    def row(self, side: Place) -> int:
        """The number of a wheel among those of all copies."""
        return side.copy * len(self.rig.bench.wheels) + side.wheel

    def turned(self, side: Place, vector: Array, moment: bool = False) -> Array:
        """A force or moment in axes of ISO 8855 (..., 3) as it acts on a copy, in G axes."""
        own = np.asarray(vector) @ MIRROR if side.mirrored else np.asarray(vector)
        return (-own if side.mirrored and moment else own) @ self.mechanism.axes.R

    @cached_property
    def has_forces(self) -> bool:
        """Whether anything carries the wheels."""
        return bool(self.rig.laws.measures)

    def in_copies(self, vectors: Array) -> Array:
        """Vectors (n, 3) in axes of ISO 8855 as each copy sees them, in G axes.  (n, c, 3)."""
        mirrored = {side.copy for side in self.sides if side.mirrored}
        seen = [vectors @ MIRROR if copy in mirrored else vectors for copy in range(self.copies)]
        return np.stack(seen, axis=1) @ self.mechanism.axes.R

    def still(self, n: int) -> Setting:
        """Setting of n samples with all wheels at design height, steering straight and no load."""
        bench, c = self.rig.bench, self.copies
        nw = len(bench.wheels)
        A_u, A_F, b = np.zeros((n, c * nw, c, 3, nw)), np.zeros((n, c * nw, c * nw)), np.zeros((n, c * nw))
        for i in range(c):
            for w in range(nw):
                A_u[:, i * nw + w, i, HEIGHTS.index(self.choices.travel), w] = 1.0
        held = np.broadcast_to(bench.z[list(bench.held)], (n, c, len(bench.held))).copy()
        loads = WheelLoads(*(np.zeros((n, c, nw, 3)) for _ in range(3)))
        road = np.broadcast_to(self.mechanism.axes.up, (n, c, 3)).copy()
        return Setting(A_u, A_F, b, held, loads, road)

    @cached_property
    def rest(self) -> Rest:
        """At rest at design height, one sample.

        Raises:
            PrecomputeError: there is no equilibrium.
        """
        bench, c = self.rig.bench, self.copies
        nw, nh = len(bench.wheels), len(bench.held)
        shape = (1, c)
        start = Rest(
            np.broadcast_to(bench.q, (*shape, bench.q.size)).copy(),
            np.broadcast_to(bench.z, (*shape, bench.z.size)).copy(),
            np.zeros((*shape, nw)),
            np.zeros((*shape, nh)),
        )
        state, found = newton(self.rig, start, self.still(1))
        if not found.all():
            raise PrecomputeError(
                f"'{self.mechanism.name}' finds no equilibrium with its wheels at design height: check that springs or "
                "bushings hold every coordinate that gives way "
                f"({', '.join(bench.names[len(bench.wheels) + len(bench.held) :]) or 'there is none'})"
            )
        if loose := self._unheld(state):
            raise PrecomputeError(
                f"'{self.mechanism.name}' does not rest with its wheels at design height: nothing holds '{loose}'. "
                "Name it as the steering of its axle, or give it a spring or bushing."
            )
        return state

    def _unheld(self, state: Rest) -> str | None:
        """The name of a coordinate that gives way without a force, or runs away; None if none does."""
        bench = self.rig.bench
        own = np.arange(len(bench.wheels) + len(bench.held), bench.z.size)
        if not own.size:
            return None
        at, loads = self.rig.at(state.q[:, :1]), self.still(1).loads
        _, K = load_forces(
            at, WheelLoads(*(x[:, 0] for x in (loads.patch, loads.centre, loads.moment))), flattened(state.pads[:, :1])
        )
        unit = 1.0 / bench.closure.coordinate_weight[own]
        sub = (at.K + K)[0][np.ix_(own, own)] * unit[:, None] * unit
        values, vectors = np.linalg.eigh(0.5 * (sub + sub.T))
        if values[0] > UNHELD * abs(values[-1]):
            return None
        return bench.names[own[int(np.argmax(np.abs(vectors[:, 0])))]]

    @cached_property
    def heights(self) -> Array:
        """(c, 3, nw) of `HEIGHTS` there."""
        return self.rig.heights(self.rig.at(self.rest.q))[0]


def stand(mechanism: Mechanism, axle: str | None = None, choices: Choices | None = None, elastic: bool = True) -> Stand:
    """Put an axle of a mechanism on the rig.

    Args:
        mechanism: with wheels.
        axle: its name; None for the first, or for what wheels without axles make.
        choices: what definitions leave open.
        elastic: whether stiff directions give way.

    Raises:
        PrecomputeError: there is no such axle, or the mechanism cannot be put on the rig.
    """
    choices = choices or Choices()
    own = bench(mechanism, elastic)
    chosen = chosen_axle(mechanism, axle)
    own, laws = with_preloads(own)
    names = [w.name for w in own.wheels]
    given = {side: names.index(name) for side, name in (("left", chosen.left), ("right", chosen.right)) if name}
    only = next(iter(given.values()))
    places = [Place(0, given[side]) if side in given else Place(1, only, mirrored=True) for side in ("left", "right")]
    return Stand(Rig(own, laws, choices.contact), chosen, (places[0], places[1]), choices)


def chosen_axle(mechanism: Mechanism, name: str | None) -> Axle:
    """The axle of that name; the first one, or one made of the wheels, without a name."""
    axles = mechanism.axles
    if name is not None:
        known = [a.name for a in axles]
        if name not in known:
            hint = nearest(name, known) if known else "the file has none"
            raise PrecomputeError(f"there is no axle '{name}' in '{mechanism.name}'; {hint}")
        return axles[known.index(name)]
    if axles:
        return axles[0]
    sides = {wheel.side: wheel.name for wheel in reversed(mechanism.wheels)}
    return Axle("axle", sides.get("left"), sides.get("right"))
