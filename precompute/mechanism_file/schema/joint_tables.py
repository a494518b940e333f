"""The joints of a mechanism file and their keys, as pydantic models.

One model for each kind of `JOINT_TYPES`, made from what is said there, one for sequences and one for rods.  The values
keep the units of the file; `reading` converts them.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, create_model

from precompute.mechanism_file.schema import values as v
from precompute.mechanism_file.schema.annotations import AXIS_HELP, SECOND_HELP, Number, OptionalAxis, RequiredAxis
from precompute.mechanism_file.schema.cam_tables import CamFields
from precompute.mechanism_file.schema.checks import Point
from precompute.mechanism_file.schema.entry import Entry
from precompute.model.mechanism import JOINT_TYPES, Direction, JointType

_Place = Annotated[tuple[Point, Point], v.PLACE]
_OptionalPlace = Annotated[tuple[Point, Point] | None, v.PLACE]
_Reach = Annotated[float | None, v.number(unit="length")]
_REACH_HELP = (
    "How far it goes along its axis from its place; only drawn. Default: to the far point of a two-point axis."
)
_PLACE_HELP = "Where the joint is: a point's name, [x, y, z], or a pair [on_parent, on_child] to be brought together."


class JointEntry(Entry):
    """What all joints have: two bodies."""

    parent: Annotated[str, v.BODY] = Field(description="Body the joint starts at.", examples=["ground"])
    child: Annotated[str, v.BODY] = Field(description="Body that moves relative to parent.", examples=["crank"])

    @classmethod
    def unknown_key(cls, key: str, table: dict[str, Any]) -> str:
        """Tell a key of another type of joint from a misspelt one."""
        if any(key in entry.keys() for entry in _ENTRIES):
            return f"a joint of type '{table['type']}' has no '{key}'; known: {', '.join(sorted(cls.keys()))}"
        return super().unknown_key(key, table)


class LoadedEntry(JointEntry):
    """What joints have whose loads may be outputs."""

    NEEDS: ClassVar[dict[str, str | tuple[str, ...] | frozenset[str]]] = {"load_axes": "load"}

    load: Annotated[bool | tuple[Direction, ...], v.LOAD] = Field(
        default=False,
        description="Whether what the parent exerts on the child is an output, or along which directions: force and "
        "moment at the joint's point, in the joint's own axes (x along its axis).",
        examples=[True],
    )
    load_axes: Annotated[Literal["joint", "ground"], v.choice(("joint", "ground"))] = Field(
        default="joint", description="Axes of the load: the joint's own, or those of the ground."
    )


OWN_AXES = frozenset({"stiff", "load"})
"""What the own axes of a joint are for."""


HINGE = "revolute"
"""The kind that goes from one end of its axis to the other."""


class StiffJointEntry(LoadedEntry):
    """What joints have whose locked directions may be stiff instead."""

    NEEDS: ClassVar[dict[str, str | tuple[str, ...] | frozenset[str]]] = {**LoadedEntry.NEEDS, "stiff_axes": OWN_AXES}

    stiff: Annotated[tuple[Direction, ...], v.STIFF] = Field(
        default=(),
        description="Locked directions that are stiff instead: small deflections against bushings or springs, in the "
        "joint's own axes (x along its axis).",
        examples=[["y", "z", "ry", "rz"]],
    )
    stiff_axes: Annotated[Literal["parent", "child"], v.choice(("parent", "child"))] = Field(
        default="parent", description="The body to which the joint's own axes are fixed."
    )


class PrimitiveEntry(Entry):
    """One elementary motion of a sequence joint."""

    EITHER = (("rotation", "translation", "ball"),)

    rotation: OptionalAxis = Field(default=None, description="Rotation about this axis. " + AXIS_HELP)
    translation: OptionalAxis = Field(default=None, description="Translation along this axis. " + AXIS_HELP)
    ball: Annotated[bool, v.FLAG] = Field(default=False, description="true: all three rotations.")
    stiff: Annotated[bool, v.FLAG] = Field(default=False, description="true: a small deflection; not for a ball.")


class SequenceEntry(LoadedEntry):
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
    load: Annotated[bool, v.FLAG] = Field(default=False, description="Whether its force is an output.")


class WheelJointEntry(JointEntry):
    """A disc that rolls or slides on the floor.  Coordinates: those of the joints NAME_lean and NAME_spin."""

    type: Literal["wheel"] = Field(description="Type of the joint.")
    contact: Annotated[Literal["rolling", "sliding"], v.choice(("rolling", "sliding"))] = Field(
        description="Whether the disc rolls without slip, or slides without friction.", examples=["rolling"]
    )
    at: Annotated[Point, v.POINT] = Field(description="Its centre: a point's name, or [x, y, z].", examples=["A"])
    axis: RequiredAxis = Field(description=f"Spin axis. {AXIS_HELP}", examples=["y"])
    radius: Annotated[float, v.number(above=0.0, unit="length")] = Field(description="Its radius.", examples=[300])
    normal: OptionalAxis = Field(default=None, description="Normal of the floor; default up. " + AXIS_HELP)
    x: Number = Field(default=None, description="Where it touches the floor at the start. Default: as drawn.")
    y: Number = Field(default=None, description="The same along y.")
    heading: Annotated[float, v.number()] = Field(default=0.0, description="Heading at the start, since design.")
    heading_rate: Annotated[float, v.number()] = Field(default=0.0, description="Its rate at the start, unit/s.")
    x_rate: Annotated[float, v.number()] = Field(
        default=0.0, description="Velocity at the start, unit/s, of a disc that slides."
    )
    y_rate: Annotated[float, v.number()] = Field(default=0.0, description="The same along y.")


def _entry(kind: JointType) -> type[StiffJointEntry]:
    """The model of a kind: its axes and its place; the axes of its stiff directions as far as it has none."""
    fields: dict[str, Any] = {"type": (Literal.__getitem__(kind.name), Field(description="Type of the joint."))}
    for axis in kind.axes:
        fields[axis.key] = (RequiredAxis, Field(description=f"{axis.text} {AXIS_HELP}", examples=[axis.example]))
    fields["at"] = _place(kind)
    if kind.name == HINGE:
        fields["reach"] = (_Reach, Field(default=None, description=_REACH_HELP))
    needs = dict(StiffJointEntry.NEEDS)
    if not kind.axes:
        needs |= {"axis": OWN_AXES}
        text = "x of its own axes; default global axes. " + AXIS_HELP
        fields["axis"] = (OptionalAxis, Field(default=None, description=text))
    if len(kind.axes) < 2:
        needs |= {"second": OWN_AXES if kind.axes else "axis"}
        fields["second"] = (OptionalAxis, Field(default=None, description=SECOND_HELP))
    name = "".join(word.capitalize() for word in kind.name.split("_")) + "Entry"
    more = "; one more for each stiff direction" if kind.locked else ""
    doc = f"{kind.text}  Coordinates: {kind.coordinates}{more}."
    entry = create_model(name, __base__=StiffJointEntry, __module__=__name__, __doc__=doc, **fields)
    entry.NEEDS = needs
    return entry


def _place(kind: JointType) -> tuple[Any, Any]:
    """The key `at`: its type and its field."""
    if kind.place == "given":
        return _Place, Field(description=_PLACE_HELP, examples=["A"])
    defaults = ["the first point of a two-point axis"] * bool(kind.axes) + ["the origin"] * (kind.place == "origin")
    return _OptionalPlace, Field(default=None, description=f"{_PLACE_HELP} Default: {', or '.join(defaults)}.")


class CamEntry(CamFields, JointEntry):
    """A profile on the parent, and a roller, a face or an edge of the child that stays on it.  It has no coordinate."""


_ENTRIES: tuple[type[JointEntry], ...] = (
    *map(_entry, JOINT_TYPES.values()),
    SequenceEntry,
    RodEntry,
    CamEntry,
    WheelJointEntry,
)

TYPES = (*JOINT_TYPES, "sequence", "rod", "cam", "wheel")
"""What the key `type` of a joint may be."""

if TYPE_CHECKING:
    AnyJoint = JointEntry
else:
    AnyJoint = Annotated[reduce(or_, _ENTRIES), Field(discriminator="type")]
