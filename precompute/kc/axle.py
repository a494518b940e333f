"""Two records as an axle."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from precompute.kc.motion import travel_row, travel_second
from precompute.kc.record import AxleRecord, Record


def axle(name: str, left: Record, right: Record, **known: Any) -> AxleRecord:
    """Two wheels along the same rates; each learns how the other one travels.

    Args:
        name: of the axle.
        left: one wheel.
        right: the other one.
        known: other fields of an `AxleRecord`.
    """
    if left.W is None or right.W is None:
        return AxleRecord(name, left, right, **known)
    travel = [travel_row(wheel, wheel.choices.travel) for wheel in (left, right)]
    bent = [None if wheel.dW is None else travel_second(wheel, wheel.choices.travel) for wheel in (left, right)]
    return AxleRecord(
        name,
        replace(left, other=travel[1], other_second=bent[1]),
        replace(right, other=travel[0], other_second=bent[0]),
        **known,
    )
