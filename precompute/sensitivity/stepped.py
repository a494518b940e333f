"""Records a complex step along a design variable: metrics are analytic, so what they become has its derivative."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from precompute.arrays import Array
from precompute.geometry.spatial import skew
from precompute.kc.axle import axle
from precompute.kc.record import AxleRecord, Complex, Element, Record, WheelData
from precompute.kc.registry import STEP
from precompute.model.carrying import carrying_points
from precompute.rig.rates import Picked, stand_axes
from precompute.rig.records import moved_elements, parts_of
from precompute.rig.stand import Place
from precompute.sensitivity.drawn import drawn_wheels
from precompute.sensitivity.partials import Partials
from precompute.sensitivity.states import Moves

I_STEP = 1j * STEP


@dataclass(frozen=True, eq=False)
class SideChange:
    """How one wheel's record changes with p, in axes of ISO 8855; velocities only where they are known."""

    wheels: tuple[WheelData, ...]  # np, a complex step farther
    centre: Array  # (n, 3, np)
    turn: Array  # (n, 3, np)
    balls: Array | None  # (n, 2, 3, np)
    steering: Array | None  # (n, np)
    elements: Array  # (ne, n, np)
    load: Array  # (n, np)
    W: Array | None = None  # (n, 6, rates, np)
    ball_rates: Array | None = None  # (n, 2, 3, rates, np)
    gradients: Array | None = None  # (ne, n, rates, np)

    def step(self, record: Record, k: int, loads: bool) -> Record:
        """The record a complex step along variable k; without second derivatives and forces of elements."""

        def farther(own: Complex, change: Array) -> Complex:
            return np.asarray(own + I_STEP * change[..., k])

        def known(own: Complex | None, change: Array | None) -> Complex | None:
            return None if own is None or change is None else farther(own, change)

        def element(old: Element, value: Array | None, gradient: Complex | None) -> Element:
            there = old.value if value is None else farther(old.value, value)
            return replace(old, value=there, gradient=gradient, second=None, force=None)

        velocities, g = self.gradients is not None, self.gradients
        slopes = [known(e.gradient, None if g is None else g[i]) for i, e in enumerate(record.elements)]
        held = record.steering
        return replace(
            record,
            wheel=self.wheels[k],
            centre=farther(record.centre, self.centre),
            R=record.R + I_STEP * (skew(self.turn[..., k]) @ record.R),
            balls=known(record.balls, self.balls),
            steering=None if held is None else element(held, self.steering, held.gradient if velocities else None),
            elements=tuple(element(*each) for each in zip(record.elements, self.elements, slopes, strict=True)),
            W=known(record.W, self.W),
            ball_rates=known(record.ball_rates, self.ball_rates),
            other=None,
            other_second=None,
            dW=None,
            load=known(record.load, self.load) if loads else None,
        )


@dataclass(frozen=True, eq=False)
class AxleChange:
    """How the record of an axle changes with p."""

    record: AxleRecord
    sides: tuple[SideChange, SideChange]
    loads: bool  # whether those of wheels are known

    def step(self, k: int) -> AxleRecord:
        """The record a complex step along variable k; without compliance."""
        left, right = (side.step(own, k, self.loads) for side, own in zip(self.sides, self.record.wheels, strict=True))
        known = {"end": self.record.end, "vehicle": self.record.vehicle, "mirrored": self.record.mirrored}
        return axle(self.record.name, left, right, **known)


def side_change(partials: Partials, moves: Moves, side: Place, z_i: Array | None) -> SideChange:
    """Of one wheel.

    Args:
        partials: at n states of rest.
        moves: how these change.
        side: the wheel.
        z_i: (n, nz, rates) of the rates of the record, where they do not change with p; None leaves velocities out.
    """
    stand, found, z_p = partials.stand, partials.found, moves.flat
    pick, S = Picked(stand, side, len(found.rest.z)), stand_axes(stand, side)
    wheel, spun = partials.wheels[side.wheel], float(np.linalg.det(S)) * S
    own = stand.rig.bench.wheels[side.wheel]
    ends = [("parent" if b.pivot.parent == b.body else "child", b.pivot.name)
            for b in carrying_points(stand.mechanism, own, stand.axle)]  # fmt: skip
    balls = [partials.change(partials.derivatives.joint_point(name, end)) for end, name in ends]  # type: ignore[arg-type]
    laws, number = stand.rig.laws, stand.steering
    numbers = [laws.acts_on[i] for i in moved_elements(stand, side) for _ in parts_of(stand, i)]
    pressed = [partials.measures[k] for k in numbers]

    def turned(A: Array, x: Array) -> Array:
        return np.einsum("ab,nb...->na...", A, pick(x))

    def rates(x: Array, z_i: Array) -> Array:
        return np.einsum("n...ip,nij->n...jp", x, z_i)

    n_p = z_p.shape[-1]
    values = SideChange(
        wheels=drawn_wheels(stand, side, partials.derivatives.dimensions.places),
        centre=turned(S, wheel.centre.total(z_p)),
        turn=turned(spun, wheel.turn.total(z_p)),
        balls=np.stack([turned(S, ball.total(z_p)) for ball in balls], axis=1) if balls else None,
        steering=None if number is None else moves.z[:, 0, number],
        elements=np.array([pick(e.total(z_p)) for e in pressed]).reshape(len(pressed), -1, n_p),
        load=moves.pads[:, side.copy, side.wheel],
    )
    if z_i is None:
        return values
    J = [rates(turned(A, x.total_mixed(z_p)), z_i) for A, x in ((spun, wheel.turn), (S, wheel.centre))]
    return replace(
        values,
        W=np.concatenate(J, axis=1),
        ball_rates=np.stack([rates(turned(S, b.total_mixed(z_p)), z_i) for b in balls], axis=1) if balls else None,
        gradients=np.array([rates(pick(e.total_mixed(z_p)), z_i) for e in pressed]).reshape(
            len(pressed), -1, z_i.shape[-1], n_p
        ),
    )
