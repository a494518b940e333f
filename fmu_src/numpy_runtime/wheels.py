"""Wheels: where a disc meets its road, how fast that point moves, and what loads there do to the carrier.

With u the spin axis (unit, to the left), n the normal of the road (unit, away from it) and r the radius, the contact is
the point of the disc that lies farthest along -n, at rho from the centre:

    p = n - (n.u) u,   s = |p|,   rho = -r p / s                                                      (1)
    x = u x n / s,   y = n x x         forward where disc and road meet, and across it, to the left    (2)

It moves over the disc.  With the angular velocity w of the carrier, the velocity v of the centre and a road at rest,

    ud = w x u,   pd = -(n.ud) u - (n.u) ud,   rhod = -r/s (pd - p (p.pd) / s^2)                      (3)
    v_contact = v + rhod,   v_material = v + (w + spin u) x rho                                       (4)

the second that of the point of the wheel which is there; its parts along x and y are the slip speeds.  Force F and
moment M at the contact act on the wheel, and through its bearing on the carrier, which takes no moment about u; there
the carrier feels the reaction of what brake or hub motor exert on the wheel.  At the centre that is the force F and

    m = M + rho x F,   M_C = m - (u.m) u - torque u                                                   (5)

so that power is F.(v + w x rho) + M.w where nothing spins: loads act through the twist of the carrier and not
through the path of the contact, which (4) has.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..errors import StepError
from ..interface.inputs import WHEEL_INPUTS
from ..interface.source import WheelPart
from ..model.reduced_model import Array, WheelInfo
from ..model.rows import POSITION, ROTATION, MarkerRows
from .ground import cross

FLAT = 1e-6
"""Sine of the angle between spin axis and road normal below which a wheel lies flat on its road."""


class WheelInputs(NamedTuple):
    """Inputs of a wheel."""

    F: Array  # (3,) [N]
    M: Array  # (3,) [N m]
    torque: float  # [N m]
    spin: float  # [rad/s]
    n: Array  # (3,)
    d: float  # [m]


class Disc(NamedTuple):
    """A disc over its road."""

    u: Array  # (3,)
    n: Array  # (3,)
    p: Array  # (3,) over its length s
    s: float
    arm: Array  # (3,) rho


def wheel_inputs(inputs: Array, first: int, number: int) -> WheelInputs:
    """Those of one wheel; those of the first begin at `first`."""
    own = inputs[first + WHEEL_INPUTS * number : first + WHEEL_INPUTS * (number + 1)]
    return WheelInputs(own[0:3], own[3:6], float(own[6]), float(own[7]), own[8:11], float(own[11]))


def disc(wheel: WheelInfo, rows: MarkerRows, value: Array, n: Array) -> Disc:
    """Equation (1).

    Args:
        wheel: the wheel.
        rows: of its marker.
        value: (nr,) the rows of the chart.
        n: (3,) normal of the road, of any length; zero is up, since some masters feed zeros to what is not connected.

    Raises:
        StepError: the wheel lies flat on its road.
    """
    u = value[rows.R : rows.R + ROTATION].reshape(3, 3) @ wheel.spin_axis
    u = u / np.sqrt(u @ u)
    n = n if n.any() else np.array(wheel.axes[2])
    n = n / np.sqrt(n @ n)
    p = n - (n @ u) * u
    s = float(np.sqrt(p @ p))
    if not s >= FLAT:
        raise StepError(
            f"wheel '{wheel.name}' lies flat on its road: its spin axis is along 'wheel.{wheel.name}.road.n', so no "
            "point of it is the lowest; check the normal, which points away from the road"
        )
    return Disc(u, n, p / s, s, -wheel.radius / s * p)


def carrier_moment(at: Disc, given: WheelInputs) -> Array:
    """M_C of equation (5), (3,)."""
    m = given.M + cross(at.arm, given.F)
    return m - (at.u @ m + given.torque) * at.u


def carrier_moment_slopes(wheel: WheelInfo, rows: MarkerRows, value: Array, slopes: Array, given: WheelInputs) -> Array:
    """Slopes (nz, 3) of M_C, from values (nr,) and slopes (nz, nr) of the rows."""
    at = disc(wheel, rows, value, given.n)
    part = slice(rows.R, rows.R + ROTATION)
    raw = value[part].reshape(3, 3) @ wheel.spin_axis
    du = slopes[:, part].reshape(-1, 3, 3) @ wheel.spin_axis / np.sqrt(raw @ raw)
    du = du - np.outer(du @ at.u, at.u)
    dp = -np.outer(du @ at.n, at.u) - (at.n @ at.u) * du
    m, dm = (
        given.M + cross(at.arm, given.F),
        np.cross(-wheel.radius / at.s * (dp - np.outer(dp @ at.p, at.p)), given.F),
    )
    return dm - np.outer(du @ m + dm @ at.u, at.u) - (at.u @ m + given.torque) * du


def wheel_parts(
    wheel: WheelInfo, rows: MarkerRows, value: Array, rates: Array, w: Array, twist: Array, given: WheelInputs
) -> list[float]:
    """All that is shown of a wheel, in the order of `WheelPart`.

    Args:
        wheel: the wheel.
        rows: of its marker.
        value: (nr,) the rows of the chart.
        rates: (nr,) of them.
        w: (3,) angular velocity of the marker in the ground.
        twist: [w; v] of the ground itself, (6,) in its own axes.
        given: the inputs of the wheel.

    Raises:
        StepError: the wheel lies flat on its road.
    """
    at, place = disc(wheel, rows, value, given.n), slice(rows.r, rows.r + POSITION)
    centre, V = value[place], twist
    w = V[:3] + w
    v = V[3:] + cross(V[:3], centre) + rates[place]
    x = cross(at.u, at.n) / at.s
    y = cross(at.n, x)
    ud = cross(w, at.u)
    pd = -(at.n @ ud) * at.u - (at.n @ at.u) * ud
    moving = v - wheel.radius / at.s * (pd - (at.p @ pd) * at.p)
    material = v + cross(w + given.spin * at.u, at.arm)
    contact = centre + at.arm
    forward, left, up = (axis @ at.u for axis in np.asarray(wheel.axes))
    outboard = 1.0 if wheel.side == "left" else -1.0
    found: dict[WheelPart, Sequence[float]] = {
        WheelPart.TRAVEL: [float((centre - wheel.centre) @ wheel.axes[2])],
        WheelPart.TOE: [outboard * float(np.arctan2(forward, left))],
        WheelPart.CAMBER: [-outboard * float(np.arctan2(up, np.hypot(forward, left)))],
        WheelPart.CONTACT: contact.tolist(),
        WheelPart.GAP: [float(at.n @ contact) - given.d],
        WheelPart.INCLINATION: [-outboard * float(np.arctan2(at.n @ at.u, at.s))],
        WheelPart.FORWARD: x.tolist(),
        WheelPart.LEFT: y.tolist(),
        WheelPart.VELOCITY: moving.tolist(),
        WheelPart.MATERIAL: material.tolist(),
        WheelPart.SLIP: [float(x @ material), float(y @ material)],
    }
    return [number for part in WheelPart for number in found[part]]
