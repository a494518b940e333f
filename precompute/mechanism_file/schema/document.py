"""The whole mechanism file as a pydantic model."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from precompute.mechanism_file.schema import force_tables as f
from precompute.mechanism_file.schema import hold_tables as h
from precompute.mechanism_file.schema import tables as t
from precompute.mechanism_file.schema import values as v
from precompute.mechanism_file.schema import wheel_tables as w
from precompute.mechanism_file.schema.annotations import Vector
from precompute.mechanism_file.schema.checks import Scope, fault, shown
from precompute.mechanism_file.schema.entry import Entry
from precompute.mechanism_file.schema.joint_tables import AnyJoint
from precompute.mechanism_file.schema.type_tables import AnyElement
from precompute.model.mechanism import Chassis

SCHEMA = 1
"""Version of the file format."""


def check_version(value: Any, scope: Scope) -> int:
    """The version of the format that this program reads."""
    if type(value) is not int or value != SCHEMA:
        raise fault(f"is {shown(value)}; this program reads schema = {SCHEMA} only")
    return value


def _auto(value: Any) -> Any:
    """The word "auto" stands for None."""
    if isinstance(value, str) and value != "auto":
        raise v.validation_error(fault(f'is {shown(value)}; it must be "auto" or a table').items, value)
    return None if value == "auto" else value


def _or_auto(schema: dict[str, Any]) -> None:
    schema["anyOf"] = [{"const": "auto"}, *(option for option in schema["anyOf"] if option != {"type": "null"})]


def _or_file(schema: dict[str, Any]) -> None:
    """Points may be in a file, all of them or some."""
    table = {key: schema.pop(key) for key in [*schema] if key not in ("description", "default")}
    file = {"type": "string", "description": "File with more points, name,x,y,z in each row."}
    ((names, point),) = table["patternProperties"].items()
    table["patternProperties"] = {f"^(?!file$){names.removeprefix('^')}": point}
    schema["anyOf"] = [{"type": "string"}, table | {"properties": {"file": {"anyOf": [file, point]}}}]


_Named = Annotated[str, v.NAME]


class CoordinatesEntry(Entry):
    """The independent coordinates."""

    free: Annotated[dict[_Named, t.CoordinateEntry] | None, BeforeValidator(_auto)] = Field(
        default=None, description='The coordinates by name, or "auto".', json_schema_extra=_or_auto
    )


class MechanismFile(Entry):
    """A mechanism: everything at its design position, in one global frame."""

    version: Annotated[int, v.Value(check_version, {"const": SCHEMA})] = Field(
        alias="schema", description="Version of the file format.", examples=[SCHEMA]
    )
    name: _Named = Field(description="Name of the mechanism and of its FMU.", examples=["CrankSlider"])
    description: Annotated[str, v.TEXT] = Field(default="", description="Free text.")
    units: t.UnitsEntry = Field(default_factory=t.UnitsEntry, description="Units of the file.")
    gravity: Annotated[Vector, v.VECTOR] = Field(
        default=(0.0, 0.0, 0.0), description="Gravity in global axes, always m/s2; for example [0, 0, -9.80665]."
    )
    chassis: Annotated[Chassis, v.choice(("fixed", "moving"))] = Field(
        default="fixed", description="moving: the ground is a chassis whose motion and gravity are inputs of the FMU."
    )
    loads: Annotated[str | tuple[str, ...], v.LOADS] = Field(
        default=(),
        description="Joints and rods whose loads are outputs besides those that say so themselves; or all, those of "
        "couplings and constraints too.",
    )
    axes: w.AxesEntry | None = Field(
        default=None, description="Where forward, left and up are. Default: x, y and z, as in ISO 8855."
    )
    mirror: w.MirrorEntry | None = Field(default=None, description="Makes the other side of the vehicle.")
    points: dict[_Named, Annotated[Vector, v.VECTOR]] = Field(
        default={},
        description="Points at design, [x, y, z]; or the file that has them, name,x,y,z in each row.",
        json_schema_extra=_or_file,
    )
    bodies: dict[_Named, t.BodyEntry] = Field(default={}, description="Rigid bodies.")
    joints: dict[_Named, AnyJoint] = Field(default={}, description="Joints and rods.")
    couplings: dict[_Named, h.CouplingEntry] = Field(
        default={}, description="Measures that move together: gears, racks, belts, ropes."
    )
    constraints: dict[_Named, h.ConstraintEntry] = Field(
        default={}, description="Points and directions of one body that stay where another has them."
    )
    springs: dict[_Named, f.SpringEntry] = Field(default={}, description="Springs.")
    anti_roll_bars: dict[_Named, f.BarEntry] = Field(default={}, description="Anti-roll bars.")
    stops: dict[_Named, f.SingleStopEntry] = Field(default={}, description="Stops on measures of their own.")
    dampers: dict[_Named, f.DamperEntry] = Field(default={}, description="Dampers.")
    forces: dict[_Named, f.ConstantForceEntry] = Field(default={}, description="Constant forces and torques.")
    bushings: dict[_Named, f.BushingEntry] = Field(default={}, description="Bushings.")
    elements: dict[_Named, AnyElement] = Field(
        default={}, description="Elements with states, inputs and formulas, and ready ones."
    )
    markers: dict[_Named, t.MarkerEntry] = Field(default={}, description="Points and frames whose motion is an output.")
    ports: dict[_Named, t.PortEntry] = Field(default={}, description="Markers where forces enter.")
    measures: dict[_Named, t.MeasureEntry] = Field(default={}, description="Measures that are outputs.")
    design: dict[_Named, t.DesignEntry] = Field(
        default={}, description="Design variables that are parameters of the FMU: hardpoints that move while it runs."
    )
    wheels: dict[_Named, w.WheelEntry] = Field(default={}, description="Wheels on their carriers.")
    axles: dict[_Named, w.AxleEntry] = Field(default={}, description="Axles, of two wheels or one.")
    vehicle: w.VehicleEntry | None = Field(default=None, description="The vehicle around the mechanism.")
    coordinates: Annotated[CoordinatesEntry | None, BeforeValidator(_auto)] = Field(
        default=None, description='The independent coordinates, or "auto".', json_schema_extra=_or_auto
    )
    tables: t.TablesEntry = Field(default_factory=t.TablesEntry, description="Accuracy and size of the tables.")
    experiment: t.ExperimentEntry = Field(
        default_factory=t.ExperimentEntry, description="The FMU's default experiment."
    )
