"""Loads of the road on wheels that are no bodies of their own: what their carriers feel of them.

The wheel is a disc that spins freely in a bearing of its carrier.  It has no inertia of its own, so what acts on it
reaches the carrier, but for the moment about its axis: with that it only spins faster or slower.  A brake or a motor
between wheel and carrier turns the wheel by its torque and the carrier by as much the other way round.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from precompute.arrays import Array
from precompute.model.mechanism import Wheel
from precompute.reference.bodies import FeatureMotion, Features, body_row


@dataclass(frozen=True, eq=False)
class WheelLoad:
    """Loads on a wheel at one instant, and the road that they come from; vectors (3,) in the axes of the loads."""

    force: Array  # at the contact [N]
    normal: Array  # of the road, away from it; of any length
    moment: Array = field(default_factory=lambda: np.zeros(3))  # [N m]
    torque: float = 0.0  # of brake or motor on the wheel, about its axis, which points to the left [N m]


def contact_arm(axis: Array, normal: Array, radius: float) -> Array:
    """(3,) from the centre of a disc to its point farthest against the normal [m]."""
    down = np.cross(axis, np.cross(axis, normal))
    return radius * down / np.linalg.norm(down)


def carrier_load(
    wheel: Wheel, load: WheelLoad, axes: Array, wheels: Features, motion: FeatureMotion, number: int
) -> Array:
    """(6,) generalized force of a wheel's loads on its carrier: moment in body axes, force in G.

    Args:
        wheel: the wheel.
        load: on it.
        axes: (3, 3) of the loads, in G.
        wheels: the centres of wheels as features.
        motion: of these.
        number: of the wheel's feature.
    """
    R = motion.R[number]
    axis, force, normal = R @ wheel.spin_axis, axes @ load.force, axes @ load.normal
    at_centre = axes @ load.moment + np.cross(contact_arm(axis, normal, wheel.radius), force)
    spinning = np.outer(axis, axis)
    row: Array = body_row(wheels, motion, np.array([number]), force[None])[0]
    row[:3] += R.T @ (at_centre - spinning @ at_centre - load.torque * axis)
    return row
