"""Kinds of values in a mechanism file: the check and the JSON Schema of each, as annotations for pydantic models."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationError, ValidationInfo
from pydantic_core import CoreSchema, InitErrorDetails, PydanticCustomError, core_schema

from precompute.mechanism_file.schema import checks, references
from precompute.mechanism_file.schema import six_directions as six
from precompute.mechanism_file.schema.checks import Check, Faults, Scope
from precompute.mechanism_file.schema.toml_text import Path
from precompute.model.mechanism import DIRECTIONS

PLAIN = "plain"
"""Type of the pydantic errors whose text was written for the user."""


def validation_error(faults: Iterable[tuple[Path, str]], value: object) -> ValidationError:
    """The faults as pydantic wants them, each at its place."""
    details = [InitErrorDetails(type=PydanticCustomError(PLAIN, text), loc=at, input=value) for at, text in faults]
    return ValidationError.from_exception_data("mechanism file", details)


@dataclass(frozen=True, eq=False)
class Value:
    """Annotation of a model's field: how its value is checked and described."""

    check: Check
    schema: dict[str, Any]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Let `check` do the validation."""
        return core_schema.with_info_plain_validator_function(self._validated)

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """The schema that was given."""
        return dict(self.schema)

    def _validated(self, value: Any, info: ValidationInfo) -> Any:
        try:
            return self.check(value, info.context or Scope())
        except Faults as faults:
            raise validation_error(faults.items, value) from None


def number(
    least: float | None = None,
    most: float | None = None,
    above: float | None = None,
    unit: str = "",
    whole: bool = False,
) -> Value:
    """A number within limits; `unit` is its unit, or the quantity whose unit the file chooses."""
    assert above in (None, 0.0) and (most is not None or least in (None, 0.0)), "the texts know no other limits"
    limits = {"minimum": least, "maximum": most, "exclusiveMinimum": above}
    schema: dict[str, Any] = {"type": "integer" if whole else "number"}
    schema |= {key: limit for key, limit in limits.items() if limit is not None}
    return Value(checks.number_check(least, most, above, unit, whole), schema)


def choice(options: Sequence[str]) -> Value:
    """One of a few words."""
    return Value(checks.choice_check(options), {"enum": list(options)})


SAME_AS = "sameAs"
"""Key of a schema that is elsewhere: `json_schema` makes a reference of it, which pydantic does not let through."""


def same_as(table: str, key: str) -> dict[str, Any]:
    """The schema of a key of another table."""
    return {SAME_AS: f"#/$defs/{table}/properties/{key}"}


def _list_schema(items: dict[str, Any], least: int, most: int | None = None) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": least} | ({"maxItems": most} if most else {})


_NUMBER = {"type": "number"}
_STRING = {"type": "string"}
_VECTOR = _list_schema(_NUMBER, 3, 3)
_POINT = {"anyOf": [_STRING, _VECTOR]}
_PAIR = _list_schema(_POINT, 2, 2)
_AXIS = {"anyOf": [{"enum": list(checks.GLOBAL_AXES)}, _VECTOR, _list_schema(_STRING, 2, 3)]}
_BODIES = _list_schema(_STRING, 2, 2)
_SIX = _list_schema(_NUMBER, 6, 6)
_MATRIX = _list_schema(_SIX, 6, 6)

PAIR = Value(checks.check_pair, _list_schema(_NUMBER, 2, 2))
PAIRS = Value(checks.check_pairs, _list_schema(_list_schema(_NUMBER, 2, 2), 8))
FLAG = Value(checks.check_flag, {"type": "boolean"})
TEXT = Value(checks.check_text, _STRING)
WORD = Value(checks.check_word, {"type": "string", "pattern": checks.WORD_PATTERN})
NAME = Value(checks.check_name, {"type": "string", "pattern": checks.NAME_PATTERN})
VECTOR = Value(checks.check_vector, _VECTOR)
POINT = Value(checks.check_point, _POINT)
POINTS = Value(checks.check_points, _PAIR)
PLACE = Value(checks.check_place, {"anyOf": [_STRING, _VECTOR, _PAIR]})
AXIS = Value(checks.check_axis, _AXIS)
AXES = Value(checks.check_axes, _list_schema(_AXIS, 2, 2))
INERTIA = Value(checks.check_inertia, {"anyOf": [_VECTOR, _list_schema(_NUMBER, 6, 6)]})
ROWS = Value(checks.check_rows, _list_schema(_list_schema(_NUMBER, 2, 2), 2))
SIX = Value(six.check_six, _SIX)
SIX_OR_MATRIX = Value(six.check_six_or_matrix, {"anyOf": [_SIX, _MATRIX]})
STIFF = Value(six.check_directions, _list_schema({"enum": list(DIRECTIONS)}, 1, 6) | {"uniqueItems": True})
DIRECTION_ROWS = Value(
    six.check_direction_rows,
    {"type": "object", "properties": dict.fromkeys(DIRECTIONS, ROWS.schema), "additionalProperties": False},
)
LOAD = Value(six.check_load, {"anyOf": [{"type": "boolean"}, STIFF.schema]})
LOADS = Value(references.check_loads, {"anyOf": [{"const": "all"}, _list_schema(_STRING, 1)]})
PRELOAD = Value(six.number_or("static"), {"anyOf": [_NUMBER, {"const": "static"}]})
DRIVEN = Value(six.flag_or("filtered"), {"enum": [True, False, "filtered"]})
BODY = Value(references.check_reference("body"), _STRING)
BODIES = Value(references.check_bodies, _BODIES)
WHEEL = Value(references.check_reference("wheel"), _STRING)
WHEELS = Value(references.check_wheels, _list_schema(_STRING, 1, 2))
GLOBAL_AXIS = choice(checks.GLOBAL_AXES)
BODY_LIST = Value(references.check_list("body"), _list_schema(_STRING, 1))
JOINT_LIST = Value(references.check_list("connection"), _list_schema(_STRING, 1))
JOINT_NAME = Value(references.check_reference("joint"), _STRING)
MARKER = Value(references.check_reference("marker"), _STRING)
JOINT = Value(references.check_joint_coordinate, {"type": "string", "pattern": r"^\w+(\[[1-9]\d*\])?$"})
