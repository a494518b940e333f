"""The tables of a mechanism file that make a vehicle of it: axes, wheels, axles, vehicle, mirror; as pydantic models.

The values keep the units of the file; `wheel_objects` converts them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from precompute.mechanism_file.schema import values as v
from precompute.mechanism_file.schema.annotations import AXIS_HELP, Number, OptionalAxis
from precompute.mechanism_file.schema.checks import NAME_PATTERN, Point, Scope, fault, inside, shown
from precompute.mechanism_file.schema.entry import Entry, Placed
from precompute.mechanism_file.schema.measure_words import MEASURE, MEASURE_SHOWN, Written
from precompute.model.wheels import End, Reaction, Side

_SIGNED = Annotated[str | None, v.GLOBAL_AXIS]
_POSITIVE = v.number(above=0.0)
_LENGTH = v.number(above=0.0, unit="length")


class AxesEntry(Entry):
    """Where forward, left and up are among the global axes; two of them are enough."""

    forward: _SIGNED = Field(default=None, description="Direction of travel: x, y, z, -x, -y or -z.", examples=["x"])
    left: _SIGNED = Field(default=None, description="To the left of the vehicle.", examples=["y"])
    up: _SIGNED = Field(default=None, description="Up.", examples=["z"])

    @classmethod
    def _rule_faults(cls, table: dict[str, Any]) -> list[Placed]:
        faults = super()._rule_faults(table)
        if len({"forward", "left", "up"} & {*table}) < 2 and not faults and {*table} <= {*cls.keys()}:
            faults.append(((), 'needs two of forward, left and up, for example { forward = "x", up = "z" }'))
        return faults


class WheelEntry(Entry):
    """A wheel: where it is on its carrier, its spin axis or its static angles, its size."""

    EITHER: ClassVar[tuple[tuple[str, ...], ...]] = (("radius", "contact"),)

    body: Annotated[str, v.BODY] = Field(description="Body that carries it.", examples=["hub"])
    centre: Annotated[Point, v.POINT] = Field(
        description="Its centre: a point's name or [x, y, z].", examples=["wheel_centre"]
    )
    spin_axis: OptionalAxis = Field(
        default=None, description="Its axis at design, to either side. Default: by toe and camber. " + AXIS_HELP
    )
    toe: Number = Field(default=None, description="Static toe, an angle; positive in. Instead of spin_axis; default 0.")
    camber: Number = Field(
        default=None,
        description="Static camber, an angle; positive with the top outward. Instead of spin_axis; default 0.",
    )
    radius: Annotated[float | None, _LENGTH] = Field(
        default=None, description="Loaded radius: from the centre to the road along the wheel plane, at design."
    )
    contact: Annotated[Point | None, v.POINT] = Field(
        default=None, description="Instead of radius: the contact point, whose height says how large the wheel is."
    )
    unloaded_radius: Annotated[float | None, _LENGTH] = Field(default=None, description="Radius without load.")
    side: Annotated[Side | None, v.choice(("left", "right"))] = Field(
        default=None, description="Side of the vehicle. Default: that of its centre, from the plane through the origin."
    )
    tyre_rate: Annotated[float | None, _POSITIVE] = Field(
        default=None, description="Vertical stiffness of the tyre, force / length."
    )

    @classmethod
    def _rule_faults(cls, table: dict[str, Any]) -> list[Placed]:
        faults = super()._rule_faults(table)
        angles = [key for key in ("toe", "camber") if key in table]
        if "spin_axis" in table and angles:
            faults.append(
                ((), f"has 'spin_axis' and '{angles[0]}'; the axis has the angles in it, so keep one of them")
            )
        return faults


@dataclass(frozen=True)
class CoordinateOf:
    """The measure of a free coordinate."""

    name: str


def _check_steering(value: Any, scope: Scope) -> Written | CoordinateOf:
    if isinstance(value, str) and "." not in value:
        scope.require("coordinate", value)
        return CoordinateOf(value)
    found: Written = MEASURE.check(value, scope)
    return found


STEERING = v.Value(_check_steering, {"anyOf": [{"type": "string", "pattern": NAME_PATTERN}, *MEASURE.schema["anyOf"]]})


class AxleEntry(Entry):
    """Two wheels; or one, a corner, whose other side is its mirror image."""

    left: Annotated[str | None, v.WHEEL] = Field(default=None, description="Its left wheel.", examples=["left"])
    right: Annotated[str | None, v.WHEEL] = Field(default=None, description="Its right wheel.")
    steering: Annotated[Written | CoordinateOf | None, STEERING] = Field(
        default=None, description="What steers it: the name of a free coordinate, or a measure, " + MEASURE_SHOWN + "."
    )
    end: Annotated[End | None, v.choice(("front", "rear"))] = Field(
        default=None, description="End of the vehicle. Default: of two axles the first in travel is the front one."
    )

    @classmethod
    def _rule_faults(cls, table: dict[str, Any]) -> list[Placed]:
        faults = super()._rule_faults(table)
        if not {"left", "right"} & ({*table} | cls._misspelt(table)):
            faults.append(((), "needs 'left' or 'right', or both: the names of its wheels"))
        return faults


def _by_axle(least: float, most: float | None) -> v.Value:
    """Numbers by axle."""
    one = v.number(least=least, most=most)

    def check(value: Any, scope: Scope) -> dict[str, float]:
        if not isinstance(value, dict) or not value:
            raise fault(f"is {shown(value)}; it must be a table by axle, for example {{ front = 0.6, rear = 0.4 }}")
        for name in value:
            scope.require("axle", name)
        return dict(zip(value, inside(value, dict.fromkeys(value, one.check), scope), strict=True))

    schema = {"type": "object", "patternProperties": {NAME_PATTERN: one.schema}}
    return v.Value(check, schema)


_Shares = Annotated[dict[str, float], _by_axle(0.0, 1.0)]
_Masses = Annotated[dict[str, float], _by_axle(0.0, None)]
_Torque = Annotated[Reaction, v.choice(("inboard", "outboard"))]


class VehicleEntry(Entry):
    """The vehicle around the mechanism: what metrics of load transfer, braking and driving need."""

    wheelbase: Annotated[float | None, _LENGTH] = Field(default=None, description="From axle to axle.")
    mass: Annotated[float | None, v.number(above=0.0, unit="mass")] = Field(
        default=None, description="Mass of the whole vehicle."
    )
    cg_height: Annotated[float | None, _LENGTH] = Field(
        default=None, description="Height of the centre of gravity of the whole vehicle above the road, at design."
    )
    cg_position: Number = Field(
        default=None, description="How far the centre of gravity of the whole vehicle is behind the front axle."
    )
    unsprung_mass: _Masses = Field(default={}, description="Unsprung mass by axle, of both wheels together.")
    brake_share: _Shares = Field(default={}, description="Share of the braking force by axle, 0 to 1.")
    drive_share: _Shares = Field(default={}, description="Share of the driving force by axle, 0 to 1.")
    brake_torque: _Torque = Field(
        default="outboard", description="Who holds the torque of the brakes: the carrier (outboard), or the chassis."
    )
    drive_torque: _Torque = Field(
        default="inboard", description="Who holds the torque of the drive: the chassis (inboard), or the carrier."
    )


class MirrorEntry(Entry):
    """Makes the other side of the vehicle: mirror images of bodies with all that is on them."""

    plane: Annotated[Literal["x", "y", "z"] | None, v.choice(("x", "y", "z"))] = Field(
        default=None, description="The plane through the origin across this axis. Default: that across left."
    )
    word: Annotated[str | None, v.WORD] = Field(
        default=None,
        alias="from",
        description="Word of names, between underscores, that 'to' replaces: hub_left becomes hub_right.",
    )
    to: Annotated[str, v.WORD] = Field(
        description="Word in the names of the images; without 'from' it is put behind them.", examples=["right"]
    )
    bodies: Annotated[tuple[str, ...] | None, v.BODY_LIST] = Field(
        default=None, description="Bodies that have an image. Default: those with the word, or without 'from' all."
    )
    joints: Annotated[tuple[str, ...] | None, v.JOINT_LIST] = Field(
        default=None, description="Joints and rods that have one besides those on such bodies."
    )
