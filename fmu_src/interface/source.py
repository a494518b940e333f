"""Where an output comes from: an operation on rows, coordinates, elements, markers or wheels.

The order of the outputs is that of `output_variables`, and exists there alone; both run-times take it from the sources.
An output of rows that a model has already needs one line there and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Operation(IntEnum):
    """What is shown."""

    COORDINATE = 0  # the coordinate `index` of the model, axes and then stiff ones
    RATE = 1  # of that coordinate
    ACCELERATION = 2  # of that coordinate
    DRIVE = 3  # force that drive `index` must supply
    ROW = 4  # the value of a row, and how much it grows per lap
    ROW_RATE = 5  # its rate
    FORCE = 6  # of element `index`
    TURNING = 7  # a component of an angular velocity: the row of A that it begins with
    ANGLE = 8  # roll, pitch or yaw (`index`) of the rotation R that begins with a row
    STEER = 9  # of marker `index`, whose R begins with a row
    CAMBER = 10  # the same
    WRENCH = 11  # force (0 to 2) and moment (3 to 5) on a moving chassis
    ENERGY = 12  # kinetic, potential, total
    IN_RANGE = 13  # whether every coordinate is where the tables were measured
    CHART = 14  # number of the chart in use, from 1
    FREE = 15  # value of the measure of element `index` at which its first law, given by a preload, is free
    PRELOAD = 16  # force of the first law of element `index` at design
    STEER_ABSOLUTE = 17  # as STEER, from straight ahead
    CAMBER_CHANGE = 18  # as CAMBER, since design
    STEP_ERROR = 19  # of the last step, over what the tables promise
    TABLE_ERROR = 20  # the estimated error of the tables, of kind `index`
    LOAD = 21  # `factor` times the sum of `part` rows from one on, times what all loads have in common
    WHEEL = 22  # number `part` of all that is shown of wheel `index`
    GEOMETRIC = 23  # number `part` of what is read of the line through the balls of wheel `index`
    RATIO = 24  # `factor` times the change of the measure of element `part` per travel of wheel `index`
    SCREW = 25  # as GEOMETRIC, of the screw axis about which wheel `index` is steered
    DEVICE = 26  # slot `part` of device `index`
    CONTACT = 27  # component `index` of the force of the floor on a disc
    CARRIED = 28  # number `part` of what is shown of marker `index` on the track of a disc: r, v, w and angles


class WheelPart(IntEnum):
    """What is shown of a wheel: where its numbers begin among all of the wheel; see `numpy_runtime.wheels`."""

    TRAVEL = 0  # of the centre along the vehicle's up, since design
    TOE = 1  # positive toe-in
    CAMBER = 2  # to the vehicle, positive with the top outboard
    CONTACT = 3  # (3) position of the contact
    GAP = 6  # its distance from the road
    INCLINATION = 7  # camber to the road
    FORWARD = 8  # (3) where disc and road meet
    LEFT = 11  # (3) across it in the road
    VELOCITY = 14  # (3) of the contact, which moves over the disc
    MATERIAL = 17  # (3) of the point of the wheel that is there
    SLIP = 20  # (2) parts of the same along FORWARD and LEFT


WHEEL_NUMBERS = 22
"""Of all parts of a wheel."""


class SteeringPart(IntEnum):
    """What is read of an axis about which a wheel is steered."""

    CASTER = 0  # positive with the top rearward
    KINGPIN = 1  # positive with the top inboard
    SCRUB = 2  # positive with the axis inboard of the contact, where it meets the road
    TRAIL = 3  # positive with the axis ahead of the contact


@dataclass(frozen=True)
class Source:
    """Of one output."""

    operation: Operation
    index: int = 0
    rows: tuple[int, ...] = ()  # per chart, for operations on rows
    lap: float = 0.0  # how much the value of a row grows each time the motion goes all round
    part: int = 0  # of a wheel or a device
    factor: float = 1.0
