"""Forces of the road on both wheels, and what they do: columns of wrenches (..., 12) over the compliance of an axle.

    x = C f                 twists [left; right] at the wheel centres, C (12, 12)                     (1)
    heights held:           f + N l,  N^T C (f + N l) = 0                                             (2)

N has the wheel loads at both contact points; l is how they change where forces f act and the wheels keep their heights:
the jacking forces.
"""

from __future__ import annotations

import numpy as np

from precompute.kc.analytic import cross, solved, times
from precompute.kc.metric import need
from precompute.kc.position import contact
from precompute.kc.record import AxleRecord, Complex, Record, once
from precompute.model.wheels import Side


def wrench(record: Record, force: Complex, at: Complex) -> Complex:
    """(..., 6) [moment; force] at the wheel centre of a force (..., 3) at a point (..., 3)."""
    return np.concatenate(np.broadcast_arrays(cross(at - record.centre, force), force), axis=-1)


def couple(moment: Complex) -> Complex:
    """(..., 6) of a moment (..., 3)."""
    return np.concatenate([moment, np.zeros_like(moment)], axis=-1)


def both(left: Complex, right: Complex) -> Complex:
    """(..., 12) of wrenches on the two wheels."""
    return np.concatenate([left, right], axis=-1)


def axle_compliance(axle: AxleRecord, bars: bool = True) -> Complex:
    """(..., 12, 12) at the wheel centres."""
    if bars:
        return need(axle.compliance, "a compliance matrix: springs or bushings")
    return need(axle.compliance_without_bars, "a compliance matrix without anti-roll bars")


@once
def wheel_loads(axle: AxleRecord) -> Complex:
    """N of (2), (..., 12, 2): unit loads at the contact points."""
    left, right = (wrench(wheel, wheel.road, contact(wheel)) for wheel in axle.wheels)
    zero = np.zeros_like(left)
    return np.stack([both(left, zero), both(zero, right)], axis=-1)


def vertical_compliance(axle: AxleRecord, bars: bool = True) -> Complex:
    """(..., 2, 2) height of each contact point per load of each [m/N]."""
    N = wheel_loads(axle)
    return np.swapaxes(N, -1, -2) @ axle_compliance(axle, bars) @ N


def jacking(axle: AxleRecord, f: Complex) -> Complex:
    """l of (2), (..., 2): change of both wheel loads where forces f (..., 12) act and the heights are held."""
    N = wheel_loads(axle)
    rise = times(np.swapaxes(N, -1, -2), times(axle_compliance(axle), f))
    return solved(vertical_compliance(axle), -rise)


def response(axle: AxleRecord, f: Complex, side: Side) -> Complex:
    """(..., 6) twist of the wheel of a side at its centre under forces f (..., 12), loads or heights kept as chosen."""
    if axle.left.choices.vertical == "height":
        f = f + times(wheel_loads(axle), jacking(axle, f))
    x = times(axle_compliance(axle), f)
    return x[..., :6] if side == "left" else x[..., 6:]
