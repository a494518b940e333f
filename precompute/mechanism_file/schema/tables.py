"""The tables of a mechanism file that hold no joint and no force, with their keys, as pydantic models.

The values keep the units of the file; `reading` converts them.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from precompute.mechanism_file.schema import values as v
from precompute.mechanism_file.schema.annotations import AXIS_HELP, Axis, Number, OptionalAxis, Vector
from precompute.mechanism_file.schema.checks import Point
from precompute.mechanism_file.schema.entry import Entry
from precompute.mechanism_file.schema.measure_words import MEASURE, MEASURE_SHOWN, Written
from precompute.model.mechanism import Driven
from precompute.units import SCALES


class UnitsEntry(Entry):
    """Units of the file.  Time is always in seconds."""

    length: Annotated[str, v.choice(tuple(SCALES["length"]))] = Field(default="m", description="Unit of lengths.")
    mass: Annotated[str, v.choice(tuple(SCALES["mass"]))] = Field(default="kg", description="Unit of masses.")
    angle: Annotated[str, v.choice(tuple(SCALES["angle"]))] = Field(default="rad", description="Unit of angles.")
    force: Annotated[str, v.choice(tuple(SCALES["force"]))] = Field(default="N", description="Unit of forces.")


class BodyEntry(Entry):
    """A rigid body.  The body "ground" is always there and does not move."""

    NEEDS = {"inertia_axes": "inertia", "allow_unphysical_inertia": "inertia"}

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
    allow_unphysical_inertia: Annotated[bool, v.FLAG] = Field(
        default=False,
        description="true: no warning if the largest principal moment exceeds the sum of the others, as no body has.",
    )


class MarkerEntry(Entry):
    """A point or frame on a body whose motion is an output."""

    NEEDS = {"y_axis": "x_axis", "z_axis": "x_axis"}

    body: Annotated[str, v.BODY] = Field(description="Body it is fixed to.", examples=["hub"])
    at: Annotated[Point, v.POINT] = Field(description="Its place: a point's name or [x, y, z].", examples=["A"])
    x_axis: OptionalAxis = Field(default=None, description="Its x axis at design; default global axes. " + AXIS_HELP)
    y_axis: OptionalAxis = Field(default=None, description="Its y axis, made perpendicular to x_axis. " + AXIS_HELP)
    z_axis: OptionalAxis = Field(default=None, description="Its z axis, made perpendicular to x_axis. " + AXIS_HELP)
    spin_axis: OptionalAxis = Field(
        default=None,
        description="A wheel's axis, pointing outboard: adds steer and camber to the outputs. " + AXIS_HELP,
    )
    acceleration: Annotated[bool, v.FLAG] = Field(
        default=False, description="Whether its acceleration and angular acceleration are outputs too."
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


_RELATIVE = "true: a marker's coordinate counted from its place at design, e.g. wheel travel."
_MEASURED = "What it measures: " + MEASURE_SHOWN + "."


class MeasureEntry(Entry):
    """A measure whose value and rate are outputs."""

    of: Annotated[Written, MEASURE] = Field(description=_MEASURED, examples=["joint.pivot"])
    relative: Annotated[bool, v.FLAG] = Field(default=False, description=_RELATIVE)


class DesignEntry(Entry):
    """A design variable that is a parameter of the FMU."""

    of: Annotated[str, v.TEXT] = Field(
        description="The design variable, such as point.P.x: what it changes, while the FMU runs.",
        examples=["point.outer.z"],
    )
    range: Annotated[float, v.number(above=0.0)] = Field(
        description="How far it may be changed either way, in the unit of the variable.", examples=[5.0]
    )


class CoordinateEntry(Entry):
    """An independent coordinate, in angle or length units according to what it measures."""

    NEEDS = {"from": "to", "to": "from", "filter_time": "driven"}

    of: Annotated[Written, MEASURE] = Field(description=_MEASURED, examples=["joint.pivot"])
    relative: Annotated[bool, v.FLAG] = Field(default=False, description=_RELATIVE)
    lower: Number = Field(
        default=None, alias="from", description="Lower end of its range. Default: found automatically."
    )
    upper: Number = Field(default=None, alias="to", description="Upper end of its range.")
    periodic: Annotated[bool, v.FLAG] = Field(default=False, description="true: a joint angle that turns without end.")
    start: Number = Field(default=None, description="Value at the start. Default: the design value.")
    rate: Annotated[float, v.number()] = Field(default=0.0, description="Rate at the start, unit/s.")
    outside: Annotated[Literal["error", "linear"], v.choice(("error", "linear"))] = Field(
        default="error", description="What the FMU does beyond the range: stop with an error, or continue linearly."
    )
    driven: Annotated[Driven, v.DRIVEN] = Field(
        default=False,
        description='true: its position, rate and acceleration are inputs. "filtered": from the position alone.',
    )
    filter_time: Annotated[float | None, v.number(above=0.0, unit="s")] = Field(
        default=None, description='Time constant [s] of the filter of driven = "filtered".'
    )


class TablesEntry(Entry):
    """How accurate the tables must be and how large they may get."""

    tolerance: Annotated[float, v.number(least=1e-11, most=0.1)] = Field(
        default=1e-6, description="Largest error of every tabulated value, relative to the range of its column."
    )
    max_nodes: Annotated[int, v.number(least=17, most=2001, whole=True)] = Field(
        default=241, description="Most nodes along one coordinate."
    )
    taylor: Annotated[int, v.number(least=1, most=3, whole=True)] = Field(
        default=2, description="Order of the expansion in the stiff directions, 1 to 3."
    )
    about: Annotated[Literal["zero", "static"], v.choice(("zero", "static"))] = Field(
        default="zero", description="Deflections that tables are expanded about: none, or those of the start at rest."
    )
    inertia: Annotated[int, v.number(least=0, most=2, whole=True)] = Field(
        default=1, description="Order of the expansion of the inertia in the stiff directions, 0 to 2."
    )
    stiff: Annotated[Literal["dynamic", "quasistatic"], v.choice(("dynamic", "quasistatic"))] = Field(
        default="dynamic", description="Stiff directions have inertia, or follow the forces at once."
    )
    stiff_tolerance: Annotated[float, v.number(least=1e-9, most=1.0)] = Field(
        default=1e-3,
        description="Error under deflection, relative to what is natural, up to which deflections count as valid.",
    )


class ExperimentEntry(Entry):
    """The FMU's default experiment."""

    stop_time: Annotated[float, v.number(above=0.0, unit="s")] = Field(default=1.0, description="Stop time [s].")
    step_size: Annotated[float, v.number(above=0.0, unit="s")] = Field(
        default=1e-3, description="Communication step, and the integrator's longest step [s]; at most stop_time."
    )
    static: Annotated[bool, v.FLAG] = Field(
        default=False, description="true: start in static equilibrium under gravity and the ports' start loads."
    )
    method: Annotated[Literal["rk4", "midpoint"], v.choice(("rk4", "midpoint"))] = Field(
        default="rk4",
        description="Integrator: the accurate one (order 4; 3 with stiff directions), or order 2 at half the cost.",
    )
