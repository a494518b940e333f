"""How a wheel moves: twists along the rates, and the ways of moving that metrics name.

A way of moving is a combination a (..., n) of the rates of a record.  It is found from conditions: rows over the rates
that are given values.  With T the rows and e the values,

    T a = e                                                                  (1)
    T a' = -[a^T H_k a]_k       a' of a along itself, H_k second derivatives of row k's measure    (2)
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from precompute.kc.analytic import along, cross, dot, solved, times
from precompute.kc.metric import need
from precompute.kc.position import contact, contact_arm
from precompute.kc.record import AxleRecord, Complex, Record, once

Way = Literal["bump", "left", "right", "roll", "steering"]
"""Travel of both wheels, of one of them; roll of the body over the road; steering."""


def twist(record: Record, a: Complex) -> tuple[Complex, Complex]:
    """Angular velocity of the carrier and velocity of the wheel centre, (..., 3) each, along a."""
    W = need(record.W, "velocities")
    found = times(W, a)
    return found[..., :3], found[..., 3:]


def material(record: Record, a: Complex, p: Complex) -> Complex:
    """(..., 3) velocity of the point of the carrier that is at p, along a."""
    w, v = twist(record, a)
    return v + cross(w, p - record.centre)


def columns(record: Record) -> tuple[Complex, Complex]:
    """Angular velocities and velocities of the centre along each rate, (..., n, 3) each."""
    W = np.swapaxes(need(record.W, "velocities"), -1, -2)
    return W[..., :3], W[..., 3:]


def travel_row(record: Record, of: Literal["centre", "patch"]) -> Complex:
    """(..., n) rate of the height of the wheel centre, along the body, or of the contact point, normal to the road.

    The lowest point of the disc moves over the carrier along the heading alone, so that it rises as the carrier does.
    """
    w, v = columns(record)
    if of == "centre":
        return v[..., 2]
    arm = contact(record) - record.centre
    return dot(record.road[..., None, :], v + cross(w, arm[..., None, :]))


def travel_second(record: Record, of: Literal["centre", "patch"]) -> Complex:
    """(..., n, n) second derivatives of the same heights; of the lowest point that is n.c - r sqrt(1 - (n.s)^2)."""
    dW = np.moveaxis(need(record.dW, "second derivatives of the motion"), -3, -1)  # (..., i, j, 6)
    dw, dv = dW[..., :3], dW[..., 3:]
    if of == "centre":
        return dv[..., 2]
    w, _ = columns(record)
    n = record.road[..., None, None, :]

    def turned(arm: Complex) -> Complex:
        """Acceleration of the tip of an arm that the carrier carries, over that of its root."""
        inner = cross(w, arm[..., None, :])  # (..., j, 3)
        return cross(dw, arm[..., None, None, :]) + cross(w[..., :, None, :], inner[..., None, :, :])

    if record.choices.contact == "fixed":
        return dot(n, dv + turned(contact_arm(record)))
    sigma = dot(record.road, record.spin)[..., None, None]
    q = np.sqrt(1.0 - sigma**2)
    slope = dot(record.road[..., None, :], cross(w, record.spin[..., None, :]))
    product = slope[..., :, None] * slope[..., None, :]
    bent = (product + sigma * dot(n, turned(record.spin))) / q + sigma**2 * product / q**3
    return dot(n, dv) + np.asarray(record.wheel.radius)[..., None, None] * bent


def held_row(record: Record) -> Complex:
    """(..., n) rate of what is held while the wheel is steered."""
    if record.choices.held != "spring":
        return travel_row(record, record.choices.held)
    springs = record.of_role("spring")
    if not springs:
        need(None, f"a spring at wheel '{record.wheel.name}', or its centre or patch to be held while it is steered")
    return need(springs[0].gradient, "velocities")


def way(record: Record, own: float, other: float = 0.0, steering: float = 0.0, held: bool = False) -> Complex:
    """(..., n) with these rates of travel of this wheel and of the other one, and of steering.

    Args:
        record: of the wheel.
        own: of this wheel's travel, or of what is held.
        other: of the other wheel's travel, if there is one.
        steering: of the steering, if there is one.
        held: whether `own` is the rate of what is held while steering.
    """
    rows = [held_row(record) if held else travel_row(record, record.choices.travel)]
    values = [own]
    if record.other is not None:
        rows, values = [*rows, record.other], [*values, other]
    if record.steering is not None:
        rows, values = [*rows, need(record.steering.gradient, "velocities")], [*values, steering]
    return combination(rows, values, record.wheel.name)


def combination(rows: list[Complex], values: list[float], name: str) -> Complex:
    """a of (1).  Rows (..., n) -> (..., n)."""
    T = np.stack(np.broadcast_arrays(*rows), axis=-2)
    if T.shape[-1] != len(values):
        raise ValueError(
            f"wheel '{name}' is recorded along {T.shape[-1]} rates; travel and steering are {len(values)} conditions"
        )
    return solved(T, np.broadcast_to(np.array(values), T.shape[:-1]))


def bend(record: Record, a: Complex) -> Complex:
    """a' of (2), of travel with steering and the other wheel held.  (..., n)."""
    rows = [travel_row(record, record.choices.travel)]
    curved = [along(a, travel_second(record, record.choices.travel), a)]
    if record.other is not None:
        rows.append(record.other)
        curved.append(along(a, need(record.other_second, "second derivatives of the motion"), a))
    if record.steering is not None:
        rows.append(need(record.steering.gradient, "velocities"))
        curved.append(along(a, need(record.steering.second, "second derivatives of the steering"), a))
    return solved(np.stack(np.broadcast_arrays(*rows), axis=-2), -np.stack(np.broadcast_arrays(*curved), axis=-1))


@once
def steer_way(record: Record) -> Complex:
    """(..., n) steering at rate one, while the choices hold what they hold."""
    need(record.steering, f"a steering of wheel '{record.wheel.name}'")
    return way(record, 0.0, 0.0, 1.0, held=True)


@once
def bump_way(record: Record) -> Complex:
    """(..., n) travel of this wheel at rate one, of the other as well, steering held."""
    return way(record, 1.0, 1.0)


@once
def single_way(record: Record) -> Complex:
    """(..., n) travel of this wheel at rate one, the other wheel and steering held."""
    return way(record, 1.0)


@once
def roll_way(axle: AxleRecord) -> Complex:
    """(..., n) the body rolls at rate one, right side down, about the middle of the contact points; steering held.

    A contact point at y left of the middle goes down by y, seen from the body.
    """
    left = axle.left
    rows = [travel_row(wheel, "patch") for wheel in axle.wheels]
    half = 0.5 * dot(lateral(left), contact(axle.left) - contact(axle.right))
    rows = [rows[0] / -half[..., None], rows[1] / half[..., None]]
    values = [1.0, 1.0]
    if left.steering is not None:
        rows, values = [*rows, need(left.steering.gradient, "velocities")], [*values, 0.0]
    return combination(rows, values, left.wheel.name)


@once
def lateral(record: Record) -> Complex:
    """(..., 3) unit, in the road across the body, to the left."""
    across = cross(record.road, np.broadcast_to(np.array([1.0, 0.0, 0.0]), record.road.shape))
    return across / np.sqrt(dot(across, across))[..., None]


def axle_way(axle: AxleRecord, which: Way) -> Complex:
    """(..., n) of an axle."""
    if which == "bump":
        return bump_way(axle.left)
    if which == "roll":
        return roll_way(axle)
    if which == "steering":
        return steer_way(axle.left)
    return single_way(axle.left if which == "left" else axle.right)
