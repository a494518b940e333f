"""How a wheel travels and is steered: motion ratios, and the axis about which it turns.

Ways of moving are rates of the axes, (nf,), that conditions tell: the travels t_i of all wheels, and the coordinates
z_k that are held while wheels travel, those that steer and those that are driven.  Where they are as many as axes,

    T = [dt_i/dz; dz_k/dz],   T a = e_i       wheel i travels at rate one, all else is held                 (1)
    the row of wheel i replaced by ds/dz of its spring,   T a = e_k       it is steered, its spring is held  (2)

with all deflections of bushings held; a wheel without a spring keeps its travel in (2).  A motion ratio is (ds/dz) a
of (1).  With w and v of the carrier, at the centre C, along a of (2), the axis about which the wheel turns is the
instantaneous screw axis

    a = C + (w x v) / (w.w),   e = w / |w|                                                                  (3)

Where two balls carry the wheel, the line from the lower through the upper is its geometric axis.  An axis, turned up,
meets the plane through the contact P along the road n at

    P + d,   d = a - P + (n.(P - a)) / (n.e) e                                                              (4)

Caster and kingpin inclination are its angles to up in side view and front view, trail and scrub radius the parts of d.
What is not defined is not a number, as in `kinetab kc`: where (1) or (2) is singular, steering does not turn the wheel,
or the axis lies along the road.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..model.reduced_model import Array, WheelInfo
from ..model.rows import POSITION, ROTATION, MarkerRows
from .ground import cross
from .wheels import FLAT, Disc

TURNED = 1e-4
"""Angular velocity of a wheel per rate of its steering [1, rad/m] below which it is not turned: tables have noise."""


class Line(NamedTuple):
    """A steering axis."""

    point: Array  # (3,) [m]
    direction: Array  # (3,) of any length


def conditions(wheels: Sequence[tuple[WheelInfo, MarkerRows]], held: Sequence[int], slopes: Array) -> Array:
    """T of equation (1), (nf, nf).

    Args:
        wheels: all of the model, with the rows of their markers.
        held: axes that are held while wheels travel.
        slopes: (nf, nr) of the rows along the axes.
    """
    travels = [slopes[:, rows.r : rows.r + POSITION] @ wheel.axes[2] for wheel, rows in wheels]
    return np.concatenate((np.array(travels), np.eye(len(slopes))[list(held)]))


def way(T: Array, number: int) -> Array:
    """a of T a = e_number, (nf,); not a number where T is singular."""
    e = np.zeros(len(T))
    e[number] = 1.0
    try:
        return np.asarray(np.linalg.solve(T, e), dtype=float)
    except np.linalg.LinAlgError:
        return np.full(len(T), np.nan)


def geometric_axis(wheel: WheelInfo, rows: MarkerRows, value: Array) -> Line:
    """Through the two balls that carry a wheel."""
    centre, R = value[rows.r : rows.r + POSITION], value[rows.R : rows.R + ROTATION].reshape(3, 3)
    a, b = (centre + R @ ball.at if ball.carried else np.array(ball.at) for ball in wheel.balls)
    return Line(a, b - a)


def screw_axis(centre: Array, w: Array, v: Array) -> Line:
    """Equation (3), from the centre of a wheel and its carrier's twist there, (3,) each, while it is steered."""
    if not float(np.sqrt(w @ w)) >= TURNED:
        return Line(np.full(3, np.nan), np.full(3, np.nan))
    return Line(centre + cross(w, v) / (w @ w), w)


def axis_parts(wheel: WheelInfo, at: Disc, centre: Array, axis: Line) -> list[float]:
    """Caster, kingpin inclination, scrub radius and trail, in the order of `SteeringPart`: (4).

    Args:
        wheel: the wheel.
        at: over its road.
        centre: (3,) of the wheel [m].
        axis: about which it is steered.
    """
    e = axis.direction / np.sqrt(axis.direction @ axis.direction)
    forward, left, up = (np.asarray(wheel.axes) @ e).tolist()
    if up < 0.0:
        forward, left, up, e = -forward, -left, -up, -e
    rise, gap = float(at.n @ e), centre + at.arm - axis.point
    d = (float(at.n @ gap) / rise if abs(rise) >= FLAT else np.nan) * e - gap
    x = cross(at.u, at.n) / at.s
    outboard = 1.0 if wheel.side == "left" else -1.0
    return [
        float(np.arctan2(-forward, up)),
        -outboard * float(np.arctan2(left, up)),
        -outboard * float(cross(at.n, x) @ d),
        float(x @ d),
    ]
