"""The joints of a mechanism file and their keys, as pydantic models.

The values keep the units of the file; `reading` converts them.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from precompute.mechanism_file.schema import values as v
from precompute.mechanism_file.schema.annotations import AXIS_HELP, SECOND_HELP, OptionalAxis, RequiredAxis
from precompute.mechanism_file.schema.checks import Point
from precompute.mechanism_file.schema.entry import Entry
from precompute.model.mechanism import Direction

_JOINT_KEYS = {"axis", "axis2", "at", "primitives", "length", "stiff", "stiff_axes", "second"}
_Place = Annotated[tuple[Point, Point], v.PLACE]
_OptionalPlace = Annotated[tuple[Point, Point] | None, v.PLACE]
_PLACE_HELP = "Where the joint is: a point's name, [x, y, z], or a pair [on_parent, on_child] to be brought together."


class JointEntry(Entry):
    """What all joints have: two bodies."""

    parent: Annotated[str, v.BODY] = Field(description="Body the joint starts at.", examples=["ground"])
    child: Annotated[str, v.BODY] = Field(description="Body that moves relative to parent.", examples=["crank"])

    @classmethod
    def unknown_key(cls, key: str, table: dict[str, Any]) -> str:
        """Tell a key of another type of joint from a misspelt one."""
        if key in _JOINT_KEYS:
            return f"a joint of type '{table['type']}' has no '{key}'; known: {', '.join(sorted(cls.keys()))}"
        return super().unknown_key(key, table)


class StiffJointEntry(JointEntry):
    """What joints have whose locked directions may be stiff instead."""

    NEEDS: ClassVar[dict[str, str]] = {"stiff_axes": "stiff", "second": "stiff"}

    stiff: Annotated[tuple[Direction, ...], v.STIFF] = Field(
        default=(),
        description="Locked directions that are stiff instead: small deflections against bushings or springs, in the "
        "joint's own axes (x along its axis).",
        examples=[["y", "z", "ry", "rz"]],
    )
    stiff_axes: Annotated[Literal["parent", "child"], v.choice(("parent", "child"))] = Field(
        default="parent", description="The body to which the axes of the stiff directions are fixed."
    )


class AxisJointEntry(StiffJointEntry):
    """A joint with one axis.  Coordinates: revolute angle; prismatic travel; cylindrical [1] travel, [2] angle."""

    type: Literal["revolute", "prismatic", "cylindrical"] = Field(description="Type of the joint.")
    axis: RequiredAxis = Field(description="Axis of the joint. " + AXIS_HELP, examples=["z"])
    at: _OptionalPlace = Field(
        default=None,
        description=_PLACE_HELP + " Default: first point of a two-point axis; for a prismatic joint the origin.",
    )
    second: OptionalAxis = Field(default=None, description=SECOND_HELP)


class UniversalEntry(StiffJointEntry):
    """Two crossing axes.  Coordinates: [1] angle about axis, [2] angle about axis2."""

    NEEDS = {"stiff_axes": "stiff"}

    type: Literal["universal"] = Field(description="Type of the joint.")
    axis: RequiredAxis = Field(description="Axis fixed to the parent. " + AXIS_HELP, examples=["x"])
    axis2: RequiredAxis = Field(description="Axis fixed to the child. " + AXIS_HELP, examples=["y"])
    at: _Place = Field(description=_PLACE_HELP, examples=["A"])


class SphericalEntry(StiffJointEntry):
    """A ball joint.  It has no scalar coordinate, but one for each stiff direction."""

    NEEDS = {"stiff_axes": "stiff", "axis": "stiff", "second": "axis"}

    type: Literal["spherical"] = Field(description="Type of the joint.")
    at: _Place = Field(description=_PLACE_HELP, examples=["A"])
    axis: OptionalAxis = Field(default=None, description="x of its stiff directions; default global axes. " + AXIS_HELP)
    second: OptionalAxis = Field(default=None, description=SECOND_HELP)


class PlanarEntry(StiffJointEntry):
    """Motion in a plane.  Coordinates: [1], [2] travels in the plane, [3] angle about its normal."""

    type: Literal["planar"] = Field(description="Type of the joint.")
    axis: RequiredAxis = Field(description="Normal of the plane. " + AXIS_HELP, examples=["z"])
    at: _Place = Field(description=_PLACE_HELP, examples=["A"])
    second: OptionalAxis = Field(default=None, description=SECOND_HELP)


class PlainJointEntry(StiffJointEntry):
    """No motion (fixed), or all six (free).  Coordinates of free: [1], [2], [3] travels along x, y, z."""

    NEEDS = {"stiff_axes": "stiff", "axis": "stiff", "second": "axis"}

    type: Literal["fixed", "free"] = Field(description="Type of the joint.")
    at: _OptionalPlace = Field(default=None, description=_PLACE_HELP + " Default: the origin.")
    axis: OptionalAxis = Field(default=None, description="x of its stiff directions; default global axes. " + AXIS_HELP)
    second: OptionalAxis = Field(default=None, description=SECOND_HELP)


class PrimitiveEntry(Entry):
    """One elementary motion of a sequence joint."""

    EITHER = (("rotation", "translation", "ball"),)

    rotation: OptionalAxis = Field(default=None, description="Rotation about this axis. " + AXIS_HELP)
    translation: OptionalAxis = Field(default=None, description="Translation along this axis. " + AXIS_HELP)
    ball: Annotated[bool, v.FLAG] = Field(default=False, description="true: all three rotations.")
    stiff: Annotated[bool, v.FLAG] = Field(default=False, description="true: a small deflection; not for a ball.")


class SequenceEntry(JointEntry):
    """A joint built from elementary motions, parent to child; coordinates are numbered in this order, from 1."""

    type: Literal["sequence"] = Field(description="Type of the joint.")
    primitives: tuple[PrimitiveEntry, ...] = Field(
        description="The motions, in order from parent to child.", examples=[[{"rotation": "z"}, {"translation": "x"}]]
    )
    at: _Place = Field(description=_PLACE_HELP, examples=["A"])


class RodEntry(JointEntry):
    """A massless link of constant length with a ball joint at either end.  It has no coordinate."""

    type: Literal["rod"] = Field(description="Type of the joint.")
    at: Annotated[tuple[Point, Point], v.POINTS] = Field(
        description="Its two ends: on the parent, on the child.", examples=[["P", "Q"]]
    )
    length: Annotated[float | None, v.number(above=0.0, unit="length")] = Field(
        default=None, description="Its length. Default: the distance of its ends at design."
    )


AnyJoint = Annotated[
    AxisJointEntry | UniversalEntry | SphericalEntry | PlanarEntry | PlainJointEntry | SequenceEntry | RodEntry,
    Field(discriminator="type"),
]
