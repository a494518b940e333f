"""The springs, dampers, constant forces and bushings of a mechanism file and their keys, as pydantic models.

The values keep the units of the file; `reading` converts them.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import Field, create_model

from fmu_src.model.law_parts import CURVES
from precompute.mechanism_file.schema import values as v
from precompute.mechanism_file.schema.annotations import (
    AXIS_HELP,
    SECOND_HELP,
    Matrix,
    NotNegative,
    Number,
    OptionalAxis,
    OptionalRows,
    RequiredAxis,
    Rows,
    Vector,
)
from precompute.mechanism_file.schema.checks import Point
from precompute.mechanism_file.schema.entry import Entry
from precompute.mechanism_file.schema.measure_words import ACTED_ON, ACTED_ON_SHOWN, Written
from precompute.model.curve_keys import curve_keys
from precompute.model.mechanism import BushingLaw, ConstantForce, Damper, Direction, JointCoordinate, Spring, Stop


def with_curve(base: type[Entry], kind: type) -> Any:
    """A table with the keys of `base` and, after them, the curve keys of a dataclass, one of which it has."""
    keys = curve_keys(kind)
    numbers = {False: NotNegative, True: Number}
    types = {key.name: OptionalRows if CURVES[key.curve].table else numbers[key.signed] for key in keys}
    columns: dict[str, Any] = {key.name: (types[key.name], Field(default=None, description=key.help)) for key in keys}
    made = create_model(f"{base.__name__}{kind.__name__}Curve", __base__=base, **columns)
    made.EITHER = (*base.EITHER, tuple(types))
    return made


class StopPlace(Entry):
    """Where a stop begins."""

    length: Annotated[float, v.number()] = Field(
        description="Value of the spring's length (or joint coordinate) where the stop engages.", examples=[0.25]
    )


StopCurve: Any = with_curve(StopPlace, Stop)


class StopEntry(StopCurve):
    """A one-sided spring."""


class ForceEntry(Entry):
    """What springs, dampers and forces have: two bodies and a point on each, or an axis; or any other measure."""

    EITHER: ClassVar[tuple[tuple[str, ...], ...]] = (("between", "joint", "on"),)
    NEEDS = {"between": ("at", "axis"), "at": "between", "axis": "between"}

    between: Annotated[tuple[str, str] | None, v.BODIES] = Field(
        default=None, description="The two bodies it acts between."
    )
    at: Annotated[tuple[Point, Point] | None, v.POINTS] = Field(
        default=None, description="Its two ends, on the bodies of between in this order."
    )
    axis: OptionalAxis = Field(
        default=None,
        description="Instead of at: the axis, fixed to the first body, about which the second turns. " + AXIS_HELP,
    )
    joint: Annotated[JointCoordinate | None, v.JOINT] = Field(
        default=None,
        description='Joint whose coordinate it acts on, instead of between: "pivot", or "strut[2]" for its second.',
    )
    on: Annotated[Written | None, ACTED_ON] = Field(
        default=None, description="Measure that it acts on, instead: " + ACTED_ON_SHOWN + "."
    )


SpringCurve: Any = with_curve(ForceEntry, Spring)
DamperCurve: Any = with_curve(ForceEntry, Damper)
ConstantCurve: Any = with_curve(ForceEntry, ConstantForce)


class SpringEntry(SpringCurve):
    """A spring on a length s (or joint coordinate): force k (free_length - s), positive when it pushes."""

    EITHER = (*SpringCurve.EITHER, ("free_length", "preload"))

    free_length: Number = Field(default=None, description="Length (or joint coordinate) at which it has no force.")
    preload: Annotated[float | Literal["static"] | None, v.PRELOAD] = Field(
        default=None,
        description='Force (or torque) at the design position, instead; positive pushes. "static": the one that holds '
        "the design position at rest.",
    )
    bump_stop: StopEntry | None = Field(default=None, description="Stop that acts below its length.")
    rebound_stop: StopEntry | None = Field(default=None, description="Stop that acts above its length.")


class BarEntry(SpringCurve):
    """An anti-roll bar: a spring on the angle between two bodies or any other measure, without force at design."""

    preload: Annotated[float, v.number()] = Field(
        default=0.0, description="Torque (or force) at the design position; positive makes the measure grow."
    )


class StopOn(ForceEntry):
    """What a stop acts on and where it begins."""

    EITHER = (("between", "joint", "on", "wheels"), ("above", "below"))

    wheels: Annotated[tuple[str, ...] | None, v.WHEELS] = Field(
        default=None,
        description="One wheel, or two that are coupled: the stop acts on their travel, of two on the mean (heave).",
    )
    above: Number = Field(default=None, description="The stop acts where the measure is above this value.")
    below: Number = Field(default=None, description="The stop acts where the measure is below this value.")


SingleStopCurve: Any = with_curve(StopOn, Stop)


class SingleStopEntry(SingleStopCurve):
    """A one-sided spring on any measure, or a bump stop that two wheels share."""


class DamperEntry(DamperCurve):
    """A damper on a length s (or joint coordinate): force -c ds/dt."""


class ConstantForceEntry(ConstantCurve):
    """A constant force on a length s (or a torque on a joint coordinate), positive if it makes s grow."""


class BushingEntry(Entry):
    """Six springs and dampers between two bodies, along and about its own axes: axis, second, and axis x second."""

    parent: Annotated[str, v.BODY] = Field(description="Body that its axes are fixed to.", examples=["ground"])
    child: Annotated[str, v.BODY] = Field(description="Body whose motion relative to parent it resists.")
    at: Annotated[Point, v.POINT] = Field(description="Its place: a point's name or [x, y, z].", examples=["A"])
    axis: RequiredAxis = Field(description="Its first axis. " + AXIS_HELP, examples=["x"])
    second: OptionalAxis = Field(default=None, description=SECOND_HELP)
    stiffness: Annotated[Vector | Matrix | None, v.SIX_OR_MATRIX] = Field(
        default=None,
        description="Six numbers, three force / length along and three force * length / angle about its axes; or a "
        "symmetric 6x6 whose coupling entries are force / angle.",
        examples=[[500, 5000, 5000, 1000, 20000, 20000]],
    )
    damping: Annotated[Vector | Matrix | None, v.SIX_OR_MATRIX] = Field(
        default=None, description="As stiffness, each entry times s. Default: none."
    )
    preload: Annotated[Vector, v.SIX] = Field(
        default=(0.0,) * 6, description="Three forces and three moments on the child at zero deflection."
    )
    tables: Annotated[dict[Direction, Rows] | None, v.DIRECTION_ROWS] = Field(
        default=None,
        description="Rows [deflection, force] by direction (x, y, z, rx, ry, rz) in place of its stiffness; positive "
        "force resists a positive deflection.",
    )
    law: Annotated[BushingLaw, v.choice(get_args(BushingLaw))] = Field(
        default="rotation_vector",
        description="Angles and moments: along the rotation vector, with a potential; or moments about the axes of "
        "parent in proportion to Cardan angles, as many codes and rigs have it.",
    )
