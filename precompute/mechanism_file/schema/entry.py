"""Base of the tables in a mechanism file: every fault of a table in plain words, and its rules in the JSON Schema.

Pydantic checks the fields; what it says about missing and unknown keys is written anew here, where the table's known
keys are at hand.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler, ValidationError, model_validator
from pydantic.fields import FieldInfo
from pydantic.functional_validators import ModelWrapValidatorHandler
from pydantic_core import CoreSchema, ErrorDetails

from precompute.mechanism_file.schema.checks import shown
from precompute.mechanism_file.schema.toml_text import Path, value_text
from precompute.mechanism_file.schema.values import PLAIN, validation_error
from precompute.model.mechanism import nearest

Placed = tuple[Path, str]
"""A fault: place inside the table, message."""

_NOT_A_TABLE = ("dict_type", "model_type", "model_attributes_type")


class Entry(BaseModel):
    """A table of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    EITHER: ClassVar[tuple[tuple[str, ...], ...]] = ()
    """Groups of keys of which a table has exactly one."""

    NEEDS: ClassVar[dict[str, str | tuple[str, ...] | frozenset[str]]] = {}
    """Key -> another that must stand beside it, several of which exactly one must, or a set of which some must."""

    @classmethod
    def keys(cls) -> dict[str, FieldInfo]:
        """The table's keys as the file spells them."""
        return {info.alias or name: info for name, info in cls.model_fields.items()}

    @classmethod
    def unknown_key(cls, key: str, table: dict[str, Any]) -> str:
        """What to say about a key that the table does not have."""
        return f"unknown key; {nearest(key, cls.keys())}"

    @model_validator(mode="wrap")
    @classmethod
    def _plain_words(cls, data: Any, handler: ModelWrapValidatorHandler[Entry]) -> Entry:
        faults = cls._rule_faults(data) if isinstance(data, dict) else []
        try:
            entry = handler(data)
        except ValidationError as error:
            details = error.errors(include_url=False)
            faults += [fault for detail in details for fault in cls._plain(detail, data)]
        else:
            faults += entry._joint_faults()
        if faults:
            raise validation_error(faults, data) from None
        return entry

    def _joint_faults(self) -> list[Placed]:
        """What is wrong between values that are each well by themselves."""
        return []

    @classmethod
    def _misspelt(cls, table: dict[str, Any]) -> set[str]:
        """Keys that a misspelt key of the table probably means: not worth a second complaint."""
        unknown = [key for key in table if isinstance(key, str) and key not in cls.keys()]
        return {match for key in unknown for match in get_close_matches(key, cls.keys(), n=1)}

    @classmethod
    def _rule_faults(cls, table: dict[str, Any]) -> list[Placed]:
        given = set(table) | cls._misspelt(table)
        faults: list[Placed] = []
        for group in cls.EITHER:
            present = [f"'{key}'" for key in group if key in given]
            if not present:
                one = "one of " if len(group) > 1 else ""
                faults.append(((), f"needs {one}" + ", ".join(f"'{key}'" for key in group)))
            elif len(present) > 1:
                faults.append(((), f"has {' and '.join(present)}; keep one of them"))
        for key, needed in cls.NEEDS.items():
            options = (
                [needed]
                if isinstance(needed, str)
                else list(needed)
                if isinstance(needed, tuple)
                else sorted(needed)[::-1]
            )
            beside = [f"'{option}'" for option in options if option in given]
            if key in given and not beside:
                names = " or ".join(f"'{option}'" for option in options)
                add = "it" if len(options) == 1 else "one of them"
                faults.append(((), f"has '{key}' without {names}; add {add}, or leave out '{key}'"))
            elif key in given and len(beside) > 1 and isinstance(needed, tuple):
                faults.append(((), f"has {' and '.join(beside)}; keep one of them"))
        return faults

    @classmethod
    def _plain(cls, error: ErrorDetails, table: Any) -> list[Placed]:
        """One pydantic error in plain words; nothing where the same mistake is reported already."""
        place, given = tuple(part for part in error["loc"] if part != "[key]"), error["input"]
        match error["type"]:
            case kind if kind == PLAIN:
                return [(place, error["msg"])]
            case "missing":
                key = str(place[-1])
                return [] if key in cls._misspelt(table) else [(place[:-1], missing_key(key, cls.keys()[key]))]
            case "extra_forbidden":
                return [(place, cls.unknown_key(str(place[-1]), table))]
            case "union_tag_not_found":
                return [(place, "'type' is missing; write for example type = \"revolute\"")]
            case "union_tag_invalid":
                known = [tag for tag in error["ctx"]["expected_tags"].replace("'", "").split(", ") if tag]
                text = given["type"]
                hint = nearest(text, known) if isinstance(text, str) else "known: " + ", ".join(sorted(known))
                return [((*place, "type"), f"is {shown(text)}; {hint}")]
            case kind if kind in _NOT_A_TABLE:
                return [(place, f"is {shown(given)}; it must be a table of keys and values")]
            case "tuple_type":
                return [(place, f"is {shown(given)}; it must be a list [ ... ]")]
        return [(place, f"is {shown(given)}; {error['msg'].lower()}")]

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Pydantic's schema plus the rules."""
        schema = handler.resolve_ref_schema(handler(core))
        groups = [{"oneOf": [{"required": [key]} for key in group]} for group in cls.EITHER]
        if groups:
            schema["allOf"] = groups
        if single := {key: [needed] for key, needed in cls.NEEDS.items() if isinstance(needed, str)}:
            schema["dependentRequired"] = single
        several = {key: needed for key, needed in cls.NEEDS.items() if not isinstance(needed, str)}
        if several:
            schema["dependentSchemas"] = {
                key: {
                    "oneOf" if isinstance(needed, tuple) else "anyOf": [{"required": [one]} for one in sorted(needed)]
                }
                for key, needed in several.items()
            }
        return schema


def missing_key(key: str, info: FieldInfo) -> str:
    """What to say about a key that is required and not there."""
    examples = [f"{key} = {value_text(example)}" for example in info.examples or ()]
    return f"'{key}' is missing" + (f"; write for example {examples[0]}" if examples else "")
