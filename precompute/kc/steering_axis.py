"""The axis about which a wheel is steered, twice: by two balls, and by its velocity; and what is quoted of it.

The instantaneous screw axis of the carrier, with w and v its angular velocity and that of the wheel centre c while
steering moves and the choices hold what they hold, passes through

    a = c + (w x v)/(w.w)    along    e = w/|w|, upward                       (1)

It exists for every steered wheel.  Where two balls carry the wheel, the line through them is the geometric axis.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from precompute.kc.analytic import cross, dot, ratio, unit, where_real
from precompute.kc.conventions import Sign, by_words
from precompute.kc.metric import Order, Unit, metric, need
from precompute.kc.motion import material, steer_way, twist
from precompute.kc.position import contact, heading, sideways
from precompute.kc.record import Complex, Record


@dataclass(frozen=True, eq=False)
class Line:
    """A line, directed upward."""

    point: Complex  # (..., 3) [m]
    direction: Complex  # (..., 3) unit


def geometric_axis(record: Record) -> Line:
    """Through the two balls that carry the wheel."""
    balls = need(record.balls, f"two balls that carry wheel '{record.wheel.name}'")
    lower = balls[..., 0, :]
    return Line(lower, upward(balls[..., 1, :] - lower))


def screw_axis(record: Record) -> Line:
    """The axis of (1)."""
    w, v = twist(record, steer_way(record))
    return Line(record.centre + ratio(cross(w, v), dot(w, w)[..., None]), upward(w))


def upward(direction: Complex) -> Complex:
    """A direction as a unit vector, turned round if it points down."""
    e = unit(direction)
    return where_real(e[..., 2].real < 0.0, -e, e)


def pierced(axis: Line, record: Record, through: Complex) -> Complex:
    """(..., 3) from a point to where the axis meets the plane through it that is parallel to the road [m]."""
    gap = through - axis.point
    n = record.road
    return ratio(dot(n, gap), dot(n, axis.direction))[..., None] * axis.direction - gap


# -- what is quoted of an axis -------------------------------------------------------------------------------------


def caster(axis: Line, record: Record) -> Complex:
    """Angle of the steering axis to the body's vertical in the side view: atan(-e_x/e_z)."""
    return np.arctan(-axis.direction[..., 0] / axis.direction[..., 2])


def kingpin_inclination(axis: Line, record: Record) -> Complex:
    """Angle of the steering axis to the body's vertical in the front view: atan(-e_y/e_z) of a left wheel."""
    return -record.wheel.outboard * np.arctan(axis.direction[..., 1] / axis.direction[..., 2])


def scrub_radius(axis: Line, record: Record) -> Complex:
    """Distance across the wheel's heading from the contact point to where the steering axis meets the road."""
    return -record.wheel.outboard * dot(sideways(record), pierced(axis, record, contact(record)))


def mechanical_trail(axis: Line, record: Record) -> Complex:
    """Distance along the wheel's heading from the contact point to where the steering axis meets the road."""
    return dot(heading(record), pierced(axis, record, contact(record)))


def caster_offset(axis: Line, record: Record) -> Complex:
    """Distance along the wheel's heading from the wheel centre to the steering axis, at the height of the centre."""
    return dot(heading(record), pierced(axis, record, record.centre))


def kingpin_offset(axis: Line, record: Record) -> Complex:
    """Distance across the wheel's heading from the wheel centre to the steering axis, at the height of the centre."""
    return -record.wheel.outboard * dot(sideways(record), pierced(axis, record, record.centre))


def spindle_length(axis: Line, record: Record) -> Complex:
    """Distance along the spin axis from the wheel centre to where the steering axis crosses it, seen along the heading.

    c + t s and the axis meet in that view: t = det(a - c, e, f)/det(s, e, f), f the heading.
    """
    across = cross(axis.direction, heading(record))
    return -record.wheel.outboard * ratio(dot(axis.point - record.centre, across), dot(record.spin, across))


AXES: dict[str, tuple[Callable[[Record], Line], Order, str]] = {
    "": (screw_axis, "velocity", "By the instantaneous screw axis, steering moved."),
    "_geometric": (geometric_axis, "position", "By the line through the two balls that carry the wheel."),
}
"""Suffix of the names -> which axis, what it needs, how it is told."""

QUOTED: tuple[tuple[Callable[[Line, Record], Complex], Unit, Sign, str], ...] = (
    (caster, "rad", by_words("top rearward"), "ISO 8855, castor angle"),
    (kingpin_inclination, "rad", by_words("top inboard"), "ISO 8855, steering-axis inclination"),
    (scrub_radius, "m", by_words("axis inboard of the contact point"), "ISO 8855, steering-axis offset at ground"),
    (spindle_length, "m", by_words("axis inboard of the centre"), "Milliken, spindle length"),
    (mechanical_trail, "m", by_words("axis ahead of the contact point"), "ISO 8855, castor offset at ground"),
    (caster_offset, "m", by_words("axis ahead of the centre"), "ISO 8855, castor offset at wheel centre"),
    (kingpin_offset, "m", by_words("axis inboard of the centre"), "ISO 8855, steering-axis offset at wheel centre"),
)
"""Each by both axes."""


def _register() -> None:
    for function, unit_, sign, source in QUOTED:
        for suffix, (axis, order, told) in AXES.items():

            def of_axis(record: Record, function: Callable = function, axis: Callable = axis) -> Complex:
                return function(axis(record), record)

            text = f"{(function.__doc__ or '').splitlines()[0]} {told}"
            metric(unit_, order, "wheel", sign, source, name=function.__name__ + suffix, definition=text)(of_axis)


_register()


# -- moments about it ----------------------------------------------------------------------------------------------


def power(record: Record, p: Complex, force: Complex) -> Complex:
    """Moment that steers to the left, of a force at a point, per unit of rotation about the screw axis [m].

    By virtual work, so that a pitch of the screw counts: force . v_P/(w.e).
    """
    a = steer_way(record)
    w, _ = twist(record, a)
    return ratio(dot(force, material(record, a, p)), dot(w, upward(w)))


@metric("m", "velocity", "wheel", by_words("braking turns to toe-out"), "common usage, by virtual work")
def moment_arm_braking(record: Record) -> Complex:
    """Moment about the steering axis per braking force at the contact point, the wheel locked to its carrier."""
    return record.wheel.outboard * power(record, contact(record), -heading(record))


@metric("m", "velocity", "wheel", by_words("driving turns to toe-in"), "common usage, by virtual work")
def moment_arm_traction(record: Record) -> Complex:
    """Moment about the steering axis per driving force at the wheel centre, its torque held by the body."""
    return -record.wheel.outboard * power(record, record.centre, heading(record))


@metric("m", "velocity", "wheel", by_words("a force to the left steers to the right"), "common usage, by virtual work")
def moment_arm_lateral(record: Record) -> Complex:
    """Moment about the steering axis per lateral force at the contact point, across the heading."""
    return -power(record, contact(record), sideways(record))


@metric("m", "velocity", "wheel", by_words("wheel load turns to toe-in"), "common usage, by virtual work")
def moment_arm_vertical(record: Record) -> Complex:
    """Moment about the steering axis per wheel load at the contact point, normal to the road."""
    return -record.wheel.outboard * power(record, contact(record), record.road)
