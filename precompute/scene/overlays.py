"""Axes and centres of an axle along a case: steering axis, instant centres in both views, roll centre."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from precompute.arrays import Array
from precompute.kc.instant_centres import front_view_ic, roll_centre_height, roll_centre_lateral, side_view_ic
from precompute.kc.metric import MissingError
from precompute.kc.position import contact
from precompute.kc.record import AxleRecord, Record
from precompute.kc.steering_axis import geometric_axis, pierced, screw_axis
from precompute.rig.march import Course
from precompute.rig.records import axle_record
from precompute.rig.stand import Stand

T = TypeVar("T")

TALL = 3.0
"""Length of a steering axis, over the radius of its wheel."""

FAR = 10.0
"""[m] What is farther from the contact point is not shown."""


@dataclass(frozen=True, eq=False)
class Overlay:
    """A line through k points at n samples."""

    name: str
    points: Array  # (n, k, 3) in G [m]; no numbers where there is none


def overlays(stand: Stand, course: Course) -> tuple[Overlay, ...]:
    """Of the wheels that the mechanism has, and of the axle."""
    with np.errstate(divide="ignore", invalid="ignore"):
        record = axle_record(stand, course.rest, course.setting, second=False, compliance=False)
        found = [*of_axle(record)]
        for place, wheel in zip(stand.sides, record.wheels, strict=True):
            if not place.mirrored:
                found += of_wheel(wheel)
    R = stand.mechanism.axes.R
    return tuple(Overlay(name, points.real @ R) for name, points in found)


def of_wheel(record: Record) -> Iterator[tuple[str, Array]]:
    """Steering axis and instant centres of a wheel, in axes of ISO 8855."""
    P, name = contact(record), record.wheel.name
    for axis in (screw_axis, geometric_axis):
        line = tried(lambda axis=axis: axis(record))  # type: ignore[misc]
        if line is not None:
            foot = P + pierced(line, record, P)
            top = foot + TALL * record.wheel.radius * line.direction
            yield f"steering axis of {name}", near(np.stack([foot, top], axis=-2), P)
            break
    if (ic := tried(lambda: front_view_ic(record))) is not None:
        inboard = -record.wheel.outboard * ic[0]
        yield f"front-view centre of {name}", near(np.stack([P, P + across(0.0 * ic[0], inboard, ic[1])], axis=-2), P)
    if (ic := tried(lambda: side_view_ic(record))) is not None:
        yield f"side-view centre of {name}", near(np.stack([P, P + across(ic[0], 0.0 * ic[0], ic[1])], axis=-2), P)


def of_axle(record: AxleRecord) -> Iterator[tuple[str, Array]]:
    """The roll centre, with the lines that meet in it."""
    left, right = (contact(wheel) for wheel in record.wheels)
    found = tried(lambda: (roll_centre_lateral(record), roll_centre_height(record)))
    if found is not None:
        centre = 0.5 * (left + right) + across(0.0 * found[0], *found)
        yield "roll centre", near(np.stack([left, centre, right], axis=-2), left)


def across(x: Array, y: Array, z: Array) -> Array:
    """(..., 3)."""
    return np.stack(np.broadcast_arrays(x, y, z), axis=-1)


def near(points: Array, from_: Array) -> Array:
    """The same, no numbers where a point is far away."""
    distance = np.linalg.norm((points - from_[..., None, :]).real, axis=-1)
    return np.where((distance < FAR).all(axis=-1)[..., None, None], points.real, np.nan)


def tried(what: Callable[[], T]) -> T | None:
    """None where the record lacks what it needs."""
    try:
        return what()
    except MissingError:
        return None
