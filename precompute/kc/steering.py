"""The steering of an axle: ratio, Ackermann, turning circle."""

from __future__ import annotations

import numpy as np

from precompute.kc.analytic import ratio, where_real
from precompute.kc.conventions import SIZE, STEER, by_words
from precompute.kc.metric import metric, need
from precompute.kc.motion import steer_way, twist
from precompute.kc.position import mean_steer, steer, track
from precompute.kc.record import AxleRecord, Complex, Record
from precompute.kc.velocity import steer_rate

STRAIGHT = 1e-6
"""Mean steer angle [rad] below which a wheel is neither inner nor outer one, and no Ackermann angle is defined."""


@metric("steering/rad", "velocity", "wheel", STEER, "ISO 8855, steering ratio")
def steering_ratio(record: Record) -> Complex:
    """Motion of the steering per steer angle of the wheel: angle per angle of a column, length per angle of a rack."""
    return ratio(np.ones(()), steer_rate(record, *twist(record, steer_way(record))))


def inner_and_outer(axle: AxleRecord) -> tuple[Complex, Complex]:
    """Steer angles of the inner and the outer wheel, as positive numbers; not a number straight ahead."""
    mean = mean_steer(axle)
    left = mean.real > 0.0
    delta_l, delta_r = steer(axle.left), steer(axle.right)
    inner = where_real(left, delta_l, -delta_r)
    outer = where_real(left, delta_r, -delta_l)
    straight = np.abs(mean.real) < STRAIGHT
    return np.where(straight, np.nan, inner), np.where(straight, np.nan, outer)


def ideal_outer(axle: AxleRecord, inner: Complex) -> Complex:
    """Steer angle of the outer wheel that rolls about the same centre: cot(outer) = cot(inner) + track/wheelbase."""
    base = need(axle.vehicle and axle.vehicle.wheelbase, "wheelbase of [vehicle]")
    tangent = np.tan(inner)
    return np.arctan(ratio(tangent, 1.0 + tangent * track(axle) / base))


@metric("rad", "position", "axle", by_words("outer wheel steered too far"), "Adams/Car, Ackermann error")
def ackermann_error(axle: AxleRecord) -> Complex:
    """Steer angle of the outer wheel less that with which both would roll about a point on the rear axle's line.

    That point is where the inner wheel's axis meets the line.
    """
    inner, outer = inner_and_outer(axle)
    return outer - ideal_outer(axle, inner)


@metric("%", "position", "axle", by_words("inner wheel steered farther"), "MotionView, percent Ackermann")
def ackermann_percentage(axle: AxleRecord) -> Complex:
    """Difference of the steer angles over that of wheels that roll about one point: 0 is parallel, 100 ideal."""
    inner, outer = inner_and_outer(axle)
    return 100.0 * ratio(inner - outer, inner - ideal_outer(axle, inner))


@metric("m", "position", "axle", SIZE, "ISO 8855, turning circle")
def turning_circle(axle: AxleRecord) -> Complex:
    """Diameter of the outer contact point's circle about a point on the rear axle's line: 2 wheelbase/sin(outer)."""
    base = need(axle.vehicle and axle.vehicle.wheelbase, "wheelbase of [vehicle]")
    _, outer = inner_and_outer(axle)
    return 2.0 * ratio(np.asarray(base), np.sin(outer))
