"""The elements of a mechanism file that are of ready types, and their keys, as pydantic models.

One model for each of `device_types.TYPES`, made from what is said there.  Numbers are kept as they are written;
`mechanism_file.elements` converts them.
"""

from __future__ import annotations

import re
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, create_model

from precompute.device_types import TYPES, DeviceType, TypeKey
from precompute.mechanism_file.schema import amounts as a
from precompute.mechanism_file.schema import values as v
from precompute.mechanism_file.schema.checks import Scope, check_number, each, fault, sequence, shown
from precompute.mechanism_file.schema.element_tables import ALONE, TYPED_ON, ElementEntry, On
from precompute.mechanism_file.schema.entry import Entry


class TypedEntry(Entry):
    """An element of a ready type."""

    on: Annotated[On, TYPED_ON] = Field(
        description=f"The measure that it is connected to, alone or as {ALONE}.", examples=["spring.shock.length"]
    )

    @classmethod
    def unknown_key(cls, key: str, table: dict[str, Any]) -> str:
        """Tell a key of formulas from a misspelt one."""
        if key in ElementEntry.keys():
            return f"an element of type '{table['type']}' has no '{key}'; known: {', '.join(sorted(cls.keys()))}"
        return super().unknown_key(key, table)


_WORDS = {"m": "length", "rad": "angle", "N": "force", "kg": "mass", "Pa": "pressure"}
_STANDS = ({"E": "force", "L": "length"}, {"E": "torque", "L": "angle"})


def unit_words(unit: str) -> str:
    """The unit of a key in units of the file: "E/L" is force/length, or torque/angle; empty for a pure number."""
    length, angle = (re.sub(r"[A-Za-z]+", lambda x, own=own: (_WORDS | own).get(x[0], x[0]), unit) for own in _STANDS)  # type: ignore[misc]
    return "" if unit == "1" else length if length == angle else f"{length} or {angle}"


def key_text(key: TypeKey) -> str:
    """What a key is, and its unit."""
    units = [words for unit in key.columns or (key.unit,) if (words := unit_words(unit))]
    return f"{key.text} [{', '.join(units)}]" if units else key.text


def default_text(key: TypeKey) -> str:
    """The default of a key that has one."""
    if key.default is None:
        return "none" if key.optional else "required"
    return f"{key.default:g}" + " in SI" * (key.default != 0.0 and key.unit not in ("1", "s", "K"))


def _limited(key: TypeKey) -> v.Value:
    """A number of a ready type; its limits are in SI, and those other than zero are looked at when its unit is."""

    def check(value: Any, scope: Scope) -> a.Amount:
        amount = a.check_amount(value, scope)
        if key.whole and (amount.unit or amount.number != int(amount.number)):
            raise fault(f"is {shown(value)}; it must be a whole number")
        if key.positive and amount.number <= 0.0:
            raise fault(f"is {shown(value)}; it must be positive")
        if key.minimum == 0.0 and amount.number < 0.0:
            raise fault(f"is {shown(value)}; it must be zero or positive")
        return amount

    return v.Value(check, {"type": "integer"} if key.whole else a.AMOUNT_SCHEMA)


def _key_value(key: TypeKey) -> v.Value:
    one = _limited(key)
    if key.columns:
        row = f"a row of {len(key.columns)} numbers"

        def check_table(value: Any, scope: Scope) -> tuple[tuple[float, ...], ...]:
            if not isinstance(value, list | tuple) or not value:
                raise fault(f"is {shown(value)}; it must be rows of {len(key.columns)} numbers")
            return each(value, sequence(check_number, (len(key.columns),), row), scope)

        width = {"minItems": len(key.columns), "maxItems": len(key.columns)}
        rows = {"type": "array", "items": {"type": "number"}} | width
        return v.Value(check_table, {"type": "array", "items": rows, "minItems": 1})
    if key.many:

        def check_many(value: Any, scope: Scope) -> tuple[a.Amount, ...]:
            a.check_amounts(value, scope)
            return each(value, one.check, scope)

        return v.Value(check_many, {"type": "array", "items": one.schema, "minItems": 1})
    return one


def _key_field(key: TypeKey) -> tuple[Any, Any]:
    kind = Annotated[Any, _key_value(key)]
    if key.default is None and not key.optional:
        return kind, Field(description=f"{key_text(key)}.")
    return kind, Field(default=None, description=f"{key_text(key)}. Default: {default_text(key)}.")


def _typed(kind: DeviceType) -> type[TypedEntry]:
    """The model of a ready type."""
    fields: dict[str, Any] = {"type": (Literal.__getitem__(kind.name), Field(description="Its type."))}
    fields |= {key.name: _key_field(key) for key in kind.keys}
    name = "".join(word.capitalize() for word in kind.name.split("_")) + "Element"
    return create_model(name, __base__=TypedEntry, __module__=__name__, __doc__=kind.text, **fields)


ELEMENT_TYPES = {kind.name: _typed(kind) for kind in TYPES.values()}

FORMULAS = ""
"""Type of the elements that have none."""


def _type_of(value: Any) -> str:
    return str(value["type"]) if isinstance(value, dict) and "type" in value else FORMULAS


if TYPE_CHECKING:
    AnyElement = ElementEntry | TypedEntry
else:
    _TAGGED = [Annotated[entry, Tag(name)] for name, entry in {FORMULAS: ElementEntry, **ELEMENT_TYPES}.items()]
    AnyElement = Annotated[reduce(or_, _TAGGED), Discriminator(_type_of)] if ELEMENT_TYPES else ElementEntry
