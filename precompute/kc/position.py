"""Where a wheel is: its angles, its contact with the road, its path."""

from __future__ import annotations

import numpy as np

from precompute.kc.analytic import cross, dot, times, unit
from precompute.kc.conventions import BUMP, CAMBER, FORWARD, OUTBOARD, SIZE, STEER, TOE, by_words
from precompute.kc.metric import metric, need
from precompute.kc.record import AxleRecord, Complex, Record, once

UP = np.array([0.0, 0.0, 1.0])


@once
def heading(record: Record) -> Complex:
    """(..., 3) unit, where wheel plane and road meet, forward: X_W of ISO 8855."""
    return unit(cross(record.spin, record.road))


@once
def sideways(record: Record) -> Complex:
    """(..., 3) unit, in the road across the heading, to the left: Y_W."""
    return cross(record.road, heading(record))


@once
def contact(record: Record) -> Complex:
    """(..., 3) where the wheel meets the road [m], as the choices say."""
    if record.choices.contact == "fixed":
        return record.centre + contact_arm(record)
    return record.centre - np.asarray(record.wheel.radius)[..., None] * unit(cross(heading(record), record.spin))


@once
def contact_arm(record: Record) -> Complex:
    """(..., 3) from the centre to the point of the carrier that was the contact at design [m]."""
    return times(record.R, record.wheel.contact - record.wheel.centre)


@once
def vertical(record: Record) -> Complex:
    """(..., 3) unit, what camber and steer are relative to: the body's vertical, or the normal of the road."""
    return record.road if record.choices.roll == "ground" else np.broadcast_to(UP, record.road.shape)


@once
def across(record: Record) -> Complex:
    """(..., 3) unit, to the left across the body, level or in the road; the road tilts about the body's own axis."""
    up = vertical(record)
    return np.stack([np.zeros_like(up[..., 0]), up[..., 2], -up[..., 1]], axis=-1)


@metric("rad", "position", "wheel", TOE, "ISO 8855, static toe angle")
def toe(record: Record) -> Complex:
    """Angle about the body's vertical between its longitudinal axis and the wheel plane, positive toe-in.

    toe = -steer of a left wheel, steer of a right one.
    """
    return -record.wheel.outboard * steer(record)


@metric("rad", "position", "wheel", STEER, "ISO 8855, steer angle")
def steer(record: Record) -> Complex:
    """Angle about the body's vertical from its longitudinal axis to the wheel plane: atan(-s_x/s_y).

    s is the spin axis, to the left.  Where roll is relative to the ground: about the normal of the road.
    """
    s = record.spin
    return np.arctan(-s[..., 0] / dot(s, across(record)))


@metric("rad", "position", "wheel", CAMBER, "ISO 8855, camber angle")
def camber(record: Record) -> Complex:
    """Angle between the wheel plane and the body's vertical: asin(-s_z) of a left wheel, asin(s_z) of a right one."""
    return -record.wheel.outboard * np.arcsin(dot(record.spin, vertical(record)))


@metric("rad", "position", "wheel", CAMBER, "MotionView, camber angle")
def camber_front_view(record: Record) -> Complex:
    """Camber as the front view shows it: atan(-s_z/s_y) of a left wheel; grows with the steer angle."""
    s = record.spin
    return -record.wheel.outboard * np.arctan(dot(s, vertical(record)) / dot(s, across(record)))


@metric("rad", "position", "wheel", CAMBER, "ISO 8855, inclination angle")
def inclination(record: Record) -> Complex:
    """Angle between the wheel plane and the normal of the road; equal to camber while body and road are level."""
    return -record.wheel.outboard * np.arcsin(dot(record.spin, record.road))


@metric("m", "position", "wheel", BUMP, "SAE J670, jounce")
def centre_vertical(record: Record) -> Complex:
    """Path of the wheel centre since design along the body's vertical: its travel."""
    return (record.centre - record.wheel.centre)[..., 2]


@metric("m", "position", "wheel", FORWARD, "common usage")
def centre_longitudinal(record: Record) -> Complex:
    """Path of the wheel centre since design along the body."""
    return (record.centre - record.wheel.centre)[..., 0]


@metric("m", "position", "wheel", OUTBOARD, "common usage")
def centre_lateral(record: Record) -> Complex:
    """Path of the wheel centre since design across the body."""
    return record.wheel.outboard * (record.centre - record.wheel.centre)[..., 1]


@metric("m", "position", "wheel", BUMP, "common usage")
def patch_vertical(record: Record) -> Complex:
    """Path of the contact point since design along the body's vertical."""
    return (contact(record) - record.wheel.contact)[..., 2]


@metric("m", "position", "wheel", FORWARD, "common usage")
def patch_longitudinal(record: Record) -> Complex:
    """Path of the contact point since design along the body."""
    return (contact(record) - record.wheel.contact)[..., 0]


@metric("m", "position", "wheel", OUTBOARD, "common usage")
def patch_lateral(record: Record) -> Complex:
    """Path of the contact point since design across the body."""
    return record.wheel.outboard * (contact(record) - record.wheel.contact)[..., 1]


@metric("m", "position", "axle", SIZE, "ISO 8855, track")
def track(axle: AxleRecord) -> Complex:
    """Distance between the two contact points across the body."""
    return contact(axle.left)[..., 1] - contact(axle.right)[..., 1]


@metric("m", "position", "axle", by_words("wider"), "ISO 8855, track change")
def track_change(axle: AxleRecord) -> Complex:
    """Track less that at design: the lateral paths of both contact points."""
    return patch_lateral(axle.left) + patch_lateral(axle.right)


@metric("m", "position", "axle", by_words("longer"), "common usage")
def wheelbase_change(axle: AxleRecord) -> Complex:
    """Wheelbase less that at design while the other axle rests: the mean of both contact points' longitudinal paths."""
    return ahead(axle) * 0.5 * (patch_longitudinal(axle.left) + patch_longitudinal(axle.right))


def ahead(axle: AxleRecord) -> float:
    """1 of a front axle, -1 of a rear one."""
    end = need(axle.end, f'the end of the vehicle at which axle \'{axle.name}\' is: end = "front" or "rear"')
    return 1.0 if end == "front" else -1.0


@metric("rad", "position", "axle", STEER, "ISO 8855, mean steer angle")
def mean_steer(axle: AxleRecord) -> Complex:
    """Mean of the steer angles of both wheels."""
    return 0.5 * (steer(axle.left) + steer(axle.right))
