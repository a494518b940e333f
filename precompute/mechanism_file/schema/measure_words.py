"""How the file writes each kind of measure, as a text or as a table: all that is known of it, in one entry of WORDS.

Reading, writing, messages, the JSON Schema and the list in docs/mechanism-file.md follow from the entries; the last two
are written by `json_schema`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from precompute.arrays import Array
from precompute.errors import PrecomputeError
from precompute.measures.cam_measure import CamMeasure, What
from precompute.mechanism_file.geometry import Geometry, placed
from precompute.mechanism_file.schema import values as v
from precompute.mechanism_file.schema.checks import Faults, Scope, check_number, each, fault, inside, shown
from precompute.mechanism_file.schema.references import joint_coordinate
from precompute.model.mechanism import (
    DIRECTIONS,
    BushingDeflection,
    Combination,
    Distance,
    JointCoordinate,
    MarkerAngle,
    MarkerCoordinate,
    Measure,
    RelativeAngle,
    WheelTravel,
)


@dataclass(frozen=True, eq=False)
class Key:
    """A key of a measure that is written as a table."""

    value: v.Value  # how it is checked and described
    resolved: Callable[[Geometry, Any], Any] = lambda geometry, value: value  # in metres in G


BODIES = Key(v.BODIES)
POINTS = Key(v.POINTS, lambda geometry, points: geometry.apart(points))
AXIS = Key(v.AXIS, lambda geometry, axis: geometry.direction(axis))


@dataclass(frozen=True)
class OfCam:
    """A measure of a cam joint, which is known when joints are."""

    cam: str
    what: What

    @property
    def refers(self) -> tuple[tuple[str, str], ...]:
        """The joint."""
        return (("connection", self.cam),)


@dataclass(frozen=True, eq=False)
class Words:
    """How one kind of measure is written: as a text that fits the pattern, or as a table with the keys."""

    of: type[Measure]
    shown: str  # as the file has it, for people
    text: str  # what it measures
    unit: str  # in words
    make: Callable[..., Measure | OfCam]  # from the groups of the pattern, or from the keys
    write: Callable[[Any], Any]
    pattern: str = ""
    keys: Mapping[str, Key] = field(default_factory=dict)


def numbers(array: Array) -> list[float]:
    """An array as the file has it; minus zero becomes zero: they are equal and must look equal."""
    return [float(value) + 0.0 for value in array]


SIMPLE: tuple[Words, ...] = (
    Words(
        of=JointCoordinate,
        shown='"joint.NAME", "joint.NAME[2]"',
        text="a joint coordinate",
        unit="angle or length",
        pattern=r"joint\.(\w+)(?:\[(\d{1,3})\])?",
        make=joint_coordinate,
        write=lambda on: f"joint.{on.joint}" + (f"[{on.index + 1}]" if on.index else ""),
    ),
    Words(
        of=MarkerCoordinate,
        shown='"marker.NAME.x" (or y, z)',
        text="a marker's position in the global frame",
        unit="length",
        pattern=r"marker\.(\w+)\.([xyz])",
        make=MarkerCoordinate,
        write=lambda on: f"marker.{on.marker}.{on.axis}",
    ),
    Words(
        of=MarkerAngle,
        shown='"marker.NAME.yaw" (or pitch, roll)',
        text="how its body has turned since design: yaw about up, then pitch about its left, then roll about its front",
        unit="angle",
        pattern=r"marker\.(\w+)\.(roll|pitch|yaw)",
        make=MarkerAngle,
        write=lambda on: f"marker.{on.marker}.{on.angle}",
    ),
    Words(
        of=BushingDeflection,
        shown='"bushing.NAME.x" (or y, z, rx, ry, rz)',
        text="a deflection of a bushing, along or about its own axes; also bushing.NAME[1] to [6]",
        unit="length or angle",
        pattern=rf"bushing\.(\w+)(?:\.({'|'.join(DIRECTIONS)})|\[([1-6])\])",
        make=lambda bushing, direction, number: BushingDeflection(
            bushing, DIRECTIONS.index(direction) if direction else int(number) - 1
        ),
        write=lambda on: f"bushing.{on.bushing}.{DIRECTIONS[on.index]}",
    ),
    Words(
        of=WheelTravel,
        shown='"wheel.NAME.travel"',
        text="travel of a wheel's centre since design, up is positive",
        unit="length",
        pattern=r"wheel\.(\w+)\.travel",
        make=WheelTravel,
        write=lambda on: f"wheel.{on.wheel}.travel",
    ),
    Words(
        of=Distance,
        shown="{ between = [body, body], at = [point, point] }",
        text="a distance",
        unit="length",
        keys={"between": BODIES, "at": POINTS},
        make=lambda between, at: Distance(*between, *at),
        write=lambda on: {"between": [on.body_a, on.body_b], "at": [numbers(on.p_a), numbers(on.p_b)]},
    ),
    Words(
        of=RelativeAngle,
        shown="{ between = [body, body], axis = axis }",
        text="the angle of the second body relative to the first about an axis of the first, below half a turn",
        unit="angle",
        keys={"between": BODIES, "axis": AXIS},
        make=lambda between, axis: RelativeAngle(between[0], between[1], axis),
        write=lambda on: {"between": [on.body_a, on.body_b], "axis": numbers(on.axis)},
    ),
)
"""Those that are not made of others."""


OF_CAM = Words(
    of=CamMeasure,
    shown='"joint.NAME.slip" (or rolled, reduced_radius)',
    text="of a cam with a roller: the way by which that has slipped, the angle that it would have rolled by, the "
    "reduced radius where they touch",
    unit="length or angle",
    pattern=r"joint\.(\w+)\.(slip|rolled|reduced_radius)",
    make=OfCam,
    write=lambda on: f"joint.{on.cam}.{on.what}",
)
"""For elements."""

OWNED = r"(spring|damper)\.(\w+)\.length"
OWNED_SHOWN = '"spring.NAME.length", "damper.NAME.length"'
OWNED_TEXT = "what that spring or damper acts on"


def words_of(measure: Measure) -> Words:
    """How a measure is written."""
    found = next((words for words in (*WORDS, OF_CAM) if words.of is type(measure)), None)
    if found is None:
        raise PrecomputeError(f"a mechanism file has no words for '{measure.name}' here")
    return found


# -- checked values ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MeasureOf:
    """The measure that a spring or damper acts on."""

    section: str  # "springs" or "dampers"
    name: str


@dataclass(frozen=True, eq=False)
class Table:
    """A measure that is written as a table, with its keys checked."""

    words: Words
    given: tuple[Any, ...]  # in the order of the keys

    def measure(self, geometry: Geometry) -> Measure:
        """The measure, in G."""
        resolved = {}
        for (name, key), value in zip(self.words.keys.items(), self.given, strict=True):
            with placed(name):
                resolved[name] = key.resolved(geometry, value)
        made = self.words.make(**resolved)
        assert isinstance(made, Measure), "what a cam measures is no table"
        return made


Written = Measure | MeasureOf | OfCam | Table


def measure_value(owned: bool, among: Sequence[Words]) -> v.Value:
    """A measure; `owned`: it may be that of a spring or damper."""
    texts = [words for words in among if words.pattern]
    tables = [words for words in among if words.keys]
    known = listed(owned, among)

    def check(value: Any, scope: Scope) -> Written:
        for words in tables:
            if isinstance(value, dict) and set(value) == set(words.keys):
                return Table(words, inside(value, {name: key.value.check for name, key in words.keys.items()}, scope))
        text = value if isinstance(value, str) else ""
        if owned and (match := re.fullmatch(OWNED, text)):
            scope.require(*match.groups())
            return MeasureOf(f"{match[1]}s", match[2])
        for words in texts:
            if match := re.fullmatch(words.pattern, text):
                measure = words.make(*match.groups())
                for kind, name in measure.refers:
                    scope.require(kind, name)
                return measure
        raise fault(f"is {shown(value)}; it must be {' or '.join(known)}")

    patterns = [words.pattern for words in texts] + [OWNED] * owned
    return v.Value(check, {"anyOf": [_text_schema(patterns), *map(_table_schema, tables)]})


def listed(owned: bool, among: Sequence[Words]) -> tuple[str, str]:
    """All ways to write a measure, the last one apart."""
    *others, last = [words.shown for words in among]
    return ", ".join((*others, OWNED_SHOWN) if owned else others), last


def _text_schema(patterns: Sequence[str]) -> dict[str, Any]:
    return {"type": "string", "pattern": f"^({'|'.join(patterns)})$"}


def _table_schema(words: Words) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: key.value.schema for name, key in words.keys.items()},
        "required": list(words.keys),
        "additionalProperties": False,
    }


# -- measures made of others ------------------------------------------------------------------------------------------

_SIMPLE = measure_value(False, SIMPLE)


def _resolved(geometry: Geometry, of: Sequence[Measure | Table]) -> tuple[Measure, ...]:
    return tuple(measure.measure(geometry) if isinstance(measure, Table) else measure for measure in of)


def _written(of: Measure) -> Any:
    if of.relative:
        raise PrecomputeError(f"the {of.name} cannot be written among others; combine the plain coordinates")
    return words_of(of).write(of)


def _check_measures(value: Any, scope: Scope) -> tuple[Written, ...]:
    if not isinstance(value, list | tuple) or not 2 <= len(value) <= MOST_COMBINED:
        raise fault(f"is {shown(value)}; it must be a list of 2 to {MOST_COMBINED} measures")
    return each(value, _SIMPLE.check, scope)


def _check_factors(value: Any, scope: Scope) -> tuple[float, ...]:
    if not isinstance(value, list | tuple) or not 2 <= len(value) <= MOST_COMBINED:
        raise fault(f"is {shown(value)}; it must be a list of numbers, one for each measure, for example [1, -1]")
    factors: tuple[float, ...] = each(value, check_number, scope)
    if zeros := [(number,) for number, factor in enumerate(factors) if factor == 0.0]:
        raise Faults(*((at, "is 0; leave the measure out") for at in zeros))
    return factors


MOST_COMBINED = 8
_SIZES = {"minItems": 2, "maxItems": MOST_COMBINED}

WORDS = (
    *SIMPLE,
    Words(
        of=Combination,
        shown="{ measures = [measure, measure], factors = [1, -1] }",
        text="their sum with these factors: a difference, a mean; all are lengths or all are angles",
        unit="as those measures",
        keys={
            "measures": Key(v.Value(_check_measures, {"type": "array", "items": _SIMPLE.schema} | _SIZES), _resolved),
            "factors": Key(v.Value(_check_factors, {"type": "array", "items": {"type": "number"}} | _SIZES)),
        },
        make=lambda measures, factors: Combination(measures, factors),
        write=lambda on: {"measures": [_written(of) for of in on.of], "factors": list(on.factors)},
    ),
)

MEASURE = measure_value(True, WORDS)
CONNECTED = measure_value(True, (*WORDS, OF_CAM))
ACTED_ON = measure_value(False, WORDS)
CONNECTED_SHOWN = " or ".join(listed(True, (*WORDS, OF_CAM)))
MEASURE_SHOWN = " or ".join(listed(True, WORDS))
ACTED_ON_SHOWN = " or ".join(listed(False, WORDS))
