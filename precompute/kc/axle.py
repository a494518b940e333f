"""Two records as an axle: of both wheels, or of one and its mirror image.

The mirror image of a wheel about the plane y = 0 is one at a mirrored point: where the other wheel has the travel and
the steering turns the other way.  With M = diag(1, -1, 1) positions and velocities are multiplied by M, angular
velocities and moments by -M, rotations become M R M.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from precompute.kc.motion import travel_row, travel_second
from precompute.kc.rates import spread
from precompute.kc.record import AxleRecord, Complex, Element, Record, WheelData
from precompute.model.wheels import End, Vehicle

MIRROR = np.array([1.0, -1.0, 1.0])
TWIST_MIRROR = np.concatenate([-MIRROR, MIRROR])


def axle(
    name: str,
    left: Record,
    right: Record,
    end: End | None = None,
    vehicle: Vehicle | None = None,
    compliance: Complex | None = None,
    compliance_without_bars: Complex | None = None,
    mirrored: bool = False,
) -> AxleRecord:
    """Two wheels along the same rates; each record learns how the other wheel travels."""
    if left.W is not None and right.W is not None:
        rows = [travel_row(wheel, wheel.choices.travel) for wheel in (left, right)]
        bent: list[Complex | None] = [None, None]
        if left.dW is not None and right.dW is not None:
            bent = [travel_second(wheel, wheel.choices.travel) for wheel in (left, right)]
        left = replace(left, other=rows[1], other_second=bent[1])
        right = replace(right, other=rows[0], other_second=bent[0])
    return AxleRecord(name, left, right, end, vehicle, mirrored, compliance, compliance_without_bars)


def axle_by_symmetry(
    name: str,
    corner: Record,
    counterpart: Record | None = None,
    end: End | None = None,
    vehicle: Vehicle | None = None,
    compliance: Complex | None = None,
    counterpart_compliance: Complex | None = None,
) -> AxleRecord:
    """A corner and its mirror image; nothing but the steering connects the two.

    Args:
        name: of the axle.
        corner: one wheel.
        counterpart: the same wheel where the other side is: at the other wheel's travel, steered the other way; the
            same record if None is given.
        end: of the vehicle.
        vehicle: around it.
        compliance: (..., 6, 6) of the corner at the wheel centre.
        counterpart_compliance: the same of the counterpart; equal if None is given.
    """
    other = counterpart or corner
    on_left = corner.wheel.side == "left"
    own, image = spread(corner, 0 if on_left else 1, 1.0), mirrored(spread(other, 1 if on_left else 0, -1.0))
    left, right = (own, image) if on_left else (image, own)
    C = None
    if compliance is not None:
        reflected = compliance if counterpart_compliance is None else counterpart_compliance
        blocks = [compliance, TWIST_MIRROR[:, None] * reflected * TWIST_MIRROR]
        first, second = blocks if on_left else blocks[::-1]
        zero = np.zeros_like(first)
        C = np.concatenate([np.concatenate([first, zero], -1), np.concatenate([zero, second], -1)], -2)
    return axle(name, left, right, end, vehicle, C, C, mirrored=True)


def mirrored(record: Record) -> Record:
    """The wheel on the other side; its steering turns the other way."""
    wheel = record.wheel
    data = WheelData(
        wheel.name, "right" if wheel.side == "left" else "left", MIRROR * wheel.centre, -MIRROR * wheel.spin,
        MIRROR * wheel.contact, wheel.radius, wheel.tyre_rate,
    )  # fmt: skip
    turned = None if record.steering is None else _times(record.steering, -1.0)

    def columns(value: Complex | None, factors: Complex, rates: int) -> Complex | None:
        return None if value is None else factors.reshape(-1, *[1] * rates) * value

    return replace(
        record,
        wheel=data,
        centre=MIRROR * record.centre,
        R=MIRROR[:, None] * record.R * MIRROR,
        road=MIRROR * record.road,
        balls=None if record.balls is None else MIRROR * record.balls,
        steering=turned,
        W=columns(record.W, TWIST_MIRROR, 1),
        ball_rates=columns(record.ball_rates, MIRROR, 1),
        dW=columns(record.dW, TWIST_MIRROR, 2),
    )


def _times(element: Element, factor: float) -> Element:
    """The element counted the other way round."""

    def scaled(value: Complex | None) -> Complex | None:
        return None if value is None else factor * value

    return replace(
        element, value=factor * element.value, gradient=scaled(element.gradient), second=scaled(element.second)
    )
