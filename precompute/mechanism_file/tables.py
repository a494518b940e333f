"""The tables of a mechanism file and their keys, as pydantic models.

The values keep the units of the file; `reading` converts them.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from precompute.mechanism import JointCoordinate, MarkerCoordinate
from precompute.mechanism_file import values as v
from precompute.mechanism_file.checks import Point
from precompute.mechanism_file.entry import Entry
from precompute.mechanism_file.references import Ends, MeasureOf
from precompute.mechanism_file.units import SCALES

Vector = tuple[float, ...]
Axis = str | tuple[str, ...] | tuple[float, ...]
Rows = tuple[tuple[float, float], ...]
Measure = JointCoordinate | MarkerCoordinate | MeasureOf | Ends

_Axis = Annotated[Axis, v.AXIS]
_OptionalAxis = Annotated[Axis | None, v.AXIS]
_NotNegative = Annotated[float | None, v.number(least=0.0)]
_Number = Annotated[float | None, v.number()]
_Rows = Annotated[Rows | None, v.ROWS]

AXIS_HELP = '"x", "y", "z", "-x", "-y", "-z", a vector, ["P", "Q"] from P to Q, or ["P", "Q", "R"], normal (Q-P)x(R-P)'


class UnitsEntry(Entry):
    """Units of the file.  Time is always in seconds."""

    length: Annotated[str, v.choice(tuple(SCALES["length"]))] = Field(default="m", description="Unit of lengths.")
    mass: Annotated[str, v.choice(tuple(SCALES["mass"]))] = Field(default="kg", description="Unit of masses.")
    angle: Annotated[str, v.choice(tuple(SCALES["angle"]))] = Field(default="rad", description="Unit of angles.")
    force: Annotated[str, v.choice(tuple(SCALES["force"]))] = Field(default="N", description="Unit of forces.")


class BodyEntry(Entry):
    """A rigid body.  The body "ground" is always there and does not move."""

    NEEDS = {"inertia_axes": "inertia"}

    mass: Annotated[float, v.number(least=0.0, unit="mass")] = Field(description="Mass.", examples=[1.2])
    com: Annotated[Point, v.POINT] = Field(
        description="Centre of mass: a point's name or [x, y, z].", examples=[[0.0, 0.0, 0.0]]
    )
    inertia: Annotated[Vector, v.INERTIA] = Field(
        default=(0.0, 0.0, 0.0),
        description="[xx, yy, zz] or [xx, yy, zz, xy, xz, yz]: entries of the tensor about com, mass * length^2, in "
        "global axes at design. The last three are tensor entries (xy = -integral of x y dm).",
    )
    inertia_axes: Annotated[tuple[Axis, Axis] | None, v.AXES] = Field(
        default=None, description="The x and y axes in which inertia is given, if not the global ones. " + AXIS_HELP
    )


# -- joints -----------------------------------------------------------------------------------------------------------

_JOINT_KEYS = {"axis", "axis2", "at", "primitives", "length"}
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


class AxisJointEntry(JointEntry):
    """A joint with one axis.  Coordinates: revolute angle; prismatic travel; cylindrical [1] travel, [2] angle."""

    type: Literal["revolute", "prismatic", "cylindrical"] = Field(description="Type of the joint.")
    axis: _Axis = Field(description="Axis of the joint. " + AXIS_HELP, examples=["z"])
    at: _OptionalPlace = Field(
        default=None,
        description=_PLACE_HELP + " Default: first point of a two-point axis; for a prismatic joint the origin.",
    )


class UniversalEntry(JointEntry):
    """Two crossing axes.  Coordinates: [1] angle about axis, [2] angle about axis2."""

    type: Literal["universal"] = Field(description="Type of the joint.")
    axis: _Axis = Field(description="Axis fixed to the parent. " + AXIS_HELP, examples=["x"])
    axis2: _Axis = Field(description="Axis fixed to the child. " + AXIS_HELP, examples=["y"])
    at: _Place = Field(description=_PLACE_HELP, examples=["A"])


class SphericalEntry(JointEntry):
    """A ball joint.  It has no scalar coordinate."""

    type: Literal["spherical"] = Field(description="Type of the joint.")
    at: _Place = Field(description=_PLACE_HELP, examples=["A"])


class PlanarEntry(JointEntry):
    """Motion in a plane.  Coordinates: [1], [2] travels in the plane, [3] angle about its normal."""

    type: Literal["planar"] = Field(description="Type of the joint.")
    axis: _Axis = Field(description="Normal of the plane. " + AXIS_HELP, examples=["z"])
    at: _Place = Field(description=_PLACE_HELP, examples=["A"])


class PlainJointEntry(JointEntry):
    """No motion (fixed), or all six (free).  Coordinates of free: [1], [2], [3] travels along x, y, z."""

    type: Literal["fixed", "free"] = Field(description="Type of the joint.")
    at: _OptionalPlace = Field(default=None, description=_PLACE_HELP + " Default: the origin.")


class PrimitiveEntry(Entry):
    """One elementary motion of a sequence joint."""

    EITHER = (("rotation", "translation", "ball"),)

    rotation: _OptionalAxis = Field(default=None, description="Rotation about this axis. " + AXIS_HELP)
    translation: _OptionalAxis = Field(default=None, description="Translation along this axis. " + AXIS_HELP)
    ball: Annotated[bool, v.FLAG] = Field(default=False, description="true: all three rotations.")


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

# -- forces -----------------------------------------------------------------------------------------------------------


class StopEntry(Entry):
    """A one-sided spring."""

    EITHER = (("stiffness", "table"),)

    length: Annotated[float, v.number()] = Field(
        description="Value of the spring's length (or joint coordinate) where the stop engages.", examples=[0.25]
    )
    stiffness: _NotNegative = Field(default=None, description="Force per length, or torque per angle.")
    table: _Rows = Field(default=None, description="Rows [penetration, force], the first [0, 0].")


class ForceEntry(Entry):
    """What springs and dampers have: two bodies and a point on each, or a joint coordinate."""

    EITHER: ClassVar[tuple[tuple[str, ...], ...]] = (("between", "joint"),)
    NEEDS = {"between": "at", "at": "between"}

    between: Annotated[tuple[str, str] | None, v.BODIES] = Field(
        default=None, description="The two bodies it acts between."
    )
    at: Annotated[tuple[Point, Point] | None, v.POINTS] = Field(
        default=None, description="Its two ends, on the bodies of between in this order."
    )
    joint: Annotated[JointCoordinate | None, v.JOINT] = Field(
        default=None,
        description='Joint whose coordinate it acts on, instead of between: "pivot", or "strut[2]" for its second.',
    )


class SpringEntry(ForceEntry):
    """A spring on a length s (or joint coordinate): force k (free_length - s), positive when it pushes."""

    EITHER = (*ForceEntry.EITHER, ("stiffness", "table"), ("free_length", "preload"))

    stiffness: _NotNegative = Field(default=None, description="Force per length; on a joint angle torque per angle.")
    table: _Rows = Field(default=None, description="Rows [x, force] over the deflection x = free_length - s, instead.")
    free_length: _Number = Field(default=None, description="Length (or joint coordinate) at which it has no force.")
    preload: _Number = Field(
        default=None, description="Force (or torque) at the design position, instead; positive pushes."
    )
    bump_stop: StopEntry | None = Field(default=None, description="Stop that acts below its length.")
    rebound_stop: StopEntry | None = Field(default=None, description="Stop that acts above its length.")


class DamperEntry(ForceEntry):
    """A damper on a length s (or joint coordinate): force -c ds/dt."""

    EITHER = (*ForceEntry.EITHER, ("damping", "table"))

    damping: _NotNegative = Field(default=None, description="Force * s / length; on a joint angle torque * s / angle.")
    table: _Rows = Field(
        default=None, description="Rows [rate, force], instead; positive force resists a positive rate."
    )


# -- outputs, inputs, coordinates -------------------------------------------------------------------------------------


class MarkerEntry(Entry):
    """A point or frame on a body whose motion is an output."""

    NEEDS = {"y_axis": "x_axis", "z_axis": "x_axis"}

    body: Annotated[str, v.BODY] = Field(description="Body it is fixed to.", examples=["hub"])
    at: Annotated[Point, v.POINT] = Field(description="Its place: a point's name or [x, y, z].", examples=["A"])
    x_axis: _OptionalAxis = Field(default=None, description="Its x axis at design; default global axes. " + AXIS_HELP)
    y_axis: _OptionalAxis = Field(default=None, description="Its y axis, made perpendicular to x_axis. " + AXIS_HELP)
    z_axis: _OptionalAxis = Field(default=None, description="Its z axis, made perpendicular to x_axis. " + AXIS_HELP)
    spin_axis: _OptionalAxis = Field(
        default=None,
        description="A wheel's axis, pointing outboard: adds steer and camber to the outputs. " + AXIS_HELP,
    )


class PortEntry(Entry):
    """A marker that accepts a force and a moment as inputs."""

    marker: Annotated[str, v.MARKER] = Field(description="Where they act.", examples=["contact_patch"])
    force: Annotated[Vector, v.VECTOR] = Field(
        default=(0.0, 0.0, 0.0), description="Force in global axes until a master sets another: a static load."
    )
    moment: Annotated[Vector, v.VECTOR] = Field(
        default=(0.0, 0.0, 0.0), description="Moment in global axes until a master sets another."
    )


class CoordinateEntry(Entry):
    """An independent coordinate, in angle or length units according to what it measures."""

    NEEDS = {"from": "to", "to": "from"}

    of: Annotated[Measure, v.MEASURE] = Field(
        description='What it measures: "joint.NAME", "joint.NAME[2]", "marker.NAME.x" (or y, z), "spring.NAME.length", '
        '"damper.NAME.length", or { between = [body, body], at = [point, point] } for a distance.',
        examples=["joint.pivot"],
    )
    lower: _Number = Field(
        default=None, alias="from", description="Lower end of its range. Default: found automatically."
    )
    upper: _Number = Field(default=None, alias="to", description="Upper end of its range.")
    periodic: Annotated[bool, v.FLAG] = Field(default=False, description="true: a joint angle that turns without end.")
    start: _Number = Field(default=None, description="Value at the start. Default: the design value.")
    rate: Annotated[float, v.number()] = Field(default=0.0, description="Rate at the start, unit/s.")
    outside: Annotated[Literal["error", "linear"], v.choice(("error", "linear"))] = Field(
        default="error", description="What the FMU does beyond the range: stop with an error, or continue linearly."
    )


class TablesEntry(Entry):
    """How accurate the tables must be and how large they may get."""

    tolerance: Annotated[float, v.number(least=1e-11, most=0.1)] = Field(
        default=1e-6, description="Largest error of every tabulated value, relative to the range of its column."
    )
    max_nodes: Annotated[int, v.number(least=17, most=2001, whole=True)] = Field(
        default=241, description="Most nodes along one coordinate."
    )


class ExperimentEntry(Entry):
    """The FMU's default experiment."""

    stop_time: Annotated[float, v.number(above=0.0, unit="s")] = Field(default=1.0, description="Stop time [s].")
    step_size: Annotated[float, v.number(above=0.0, unit="s")] = Field(
        default=1e-3, description="Communication step, and the integrator's longest step [s]; at most stop_time."
    )
