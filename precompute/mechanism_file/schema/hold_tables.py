"""The couplings and constraints of a mechanism file and their keys, as pydantic models.

The values keep the units of the file; `hold_objects` converts them.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field

from precompute.mechanism_file.schema import values as v
from precompute.mechanism_file.schema.annotations import AXIS_HELP, OptionalAxis, RequiredAxis, Rows
from precompute.mechanism_file.schema.checks import Point, Scope, check_number, check_rows, each, fault, shown
from precompute.mechanism_file.schema.entry import Entry, Placed
from precompute.mechanism_file.schema.measure_words import (
    ACTED_ON,
    ACTED_ON_SHOWN,
    SIMPLE,
    Written,
    measure_value,
)
from precompute.model.holds import CONSTRAINT_TYPES, HoldKind

MOST_COUPLED = 8

_SIMPLE = measure_value(False, SIMPLE)
_SIZES = {"minItems": 1, "maxItems": MOST_COUPLED}


def _check_measures(value: Any, scope: Scope) -> tuple[Written, ...]:
    if not isinstance(value, list | tuple) or not 1 <= len(value) <= MOST_COUPLED:
        raise fault(f"is {shown(value)}; it must be a list of 1 to {MOST_COUPLED} measures")
    return each(value, _SIMPLE.check, scope)


def _check_factors(value: Any, scope: Scope) -> tuple[float, ...]:
    if not isinstance(value, list | tuple) or not 1 <= len(value) <= MOST_COUPLED:
        raise fault(f"is {shown(value)}; it must be a list of numbers, one for each measure, for example [20, -43]")
    return each(value, check_number, scope)


def _check_table(value: Any, scope: Scope) -> Rows:
    rows: Rows = check_rows(value, scope)
    return rows


MEASURES = v.Value(_check_measures, {"type": "array", "items": _SIMPLE.schema} | _SIZES)
FACTORS = v.Value(_check_factors, {"type": "array", "items": {"type": "number"}} | _SIZES)
TABLE = v.Value(_check_table, v.ROWS.schema)


class CouplingEntry(Entry):
    """Measures that move together: a sum of them with factors, or one as a table of another, keeps its design value."""

    EITHER = (("measures", "measure"),)
    NEEDS: ClassVar[dict[str, str | tuple[str, ...] | frozenset[str]]] = {
        "measures": "factors",
        "factors": "measures",
        "measure": "follows",
        "follows": "table",
        "table": "measure",
    }

    measures: Annotated[tuple[Written, ...] | None, MEASURES] = Field(
        default=None,
        description="What is coupled; their sum with factors stays as it is at design. Angles count over turns.",
        examples=[["joint.pinion", "joint.wheel"]],
    )
    factors: Annotated[tuple[float, ...] | None, FACTORS] = Field(
        default=None,
        description="A factor for each: numbers, such as numbers of teeth; where lengths and angles are coupled that "
        "of an angle is a radius, length per rad, as of a pinion or a pulley.",
        examples=[[20, 43]],
    )
    measure: Annotated[Written | None, ACTED_ON] = Field(
        default=None, description="What follows: " + ACTED_ON_SHOWN + ".", examples=["joint.rack"]
    )
    follows: Annotated[Written | None, ACTED_ON] = Field(
        default=None, description="What it follows; in the same words.", examples=["joint.pinion"]
    )
    table: Annotated[Rows | None, TABLE] = Field(
        default=None,
        description="How: rows [what is followed, what follows], each in its unit; a smooth curve through them.",
        examples=[[[-90, -20], [0, 0], [90, 20]]],
    )
    load: Annotated[bool, v.FLAG] = Field(default=False, description="Whether its force is an output.")

    def _joint_faults(self) -> list[Placed]:
        """As many factors as measures, none of them zero."""
        if self.measures is None or self.factors is None:
            return []
        faults: list[Placed] = [
            (("factors", i), "is 0; leave the measure out") for i, factor in enumerate(self.factors) if factor == 0.0
        ]
        if len(self.factors) != len(self.measures):
            text = f"has {len(self.factors)} numbers for {len(self.measures)} measures; give one for each"
            faults.append((("factors",), text))
        return faults


class ConstraintEntry(Entry):
    """A point or a direction of one body that stays where another has it."""

    type: Annotated[HoldKind, v.choice(tuple(CONSTRAINT_TYPES))] = Field(
        description="What it keeps: "
        + "; ".join(f"{name}: {kind.text}" for name, kind in CONSTRAINT_TYPES.items())
        + ".",
        examples=["point_on_line"],
    )
    parent: Annotated[str, v.BODY] = Field(description="Body with the plane, line or direction.", examples=["ground"])
    child: Annotated[str, v.BODY] = Field(description="Body with the point, or the other direction.", examples=["pin"])
    axis: RequiredAxis = Field(
        description="On the parent: normal of the plane, direction of the line, or its direction. " + AXIS_HELP,
        examples=["x"],
    )
    axis2: OptionalAxis = Field(default=None, description="Direction on the child. Default of parallel: axis.")
    at: Annotated[tuple[Point, Point] | None, v.PLACE] = Field(
        default=None,
        description="The point: its name, [x, y, z], or a pair [on_parent, on_child], a point of the plane or line and "
        "the one that is to be brought there.",
    )
    load: Annotated[bool, v.FLAG] = Field(default=False, description="Whether its force is an output.")

    def _joint_faults(self) -> list[Placed]:
        """Points have a place, directions a second axis, and neither has the other's."""
        if CONSTRAINT_TYPES[self.type].has_point:
            missing = [] if self.at is not None else [((), "'at' is missing; write for example at = \"A\"")]
            more = [] if self.axis2 is None else [(("axis2",), f"is for directions; {self.type} is about a point")]
            return [*missing, *more]
        faults: list[Placed] = []
        if self.at is not None:
            faults.append((("at",), f"is for points; {self.type} is about directions"))
        if self.axis2 is None and self.type != "parallel":
            faults.append(((), "'axis2', the direction on the child, is missing; write for example axis2 = \"y\""))
        return faults
