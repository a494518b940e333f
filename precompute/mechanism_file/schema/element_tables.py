"""The elements of a mechanism file and their keys, as pydantic models: those with formulas of their own, ready types.

One model for elements with formulas and one for each of `device_types.TYPES`, made from what is said there.  Numbers
are kept as they are written; `mechanism_file.elements` converts them.
"""

from __future__ import annotations

import re
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from pydantic import Discriminator, Field, Tag, create_model

from precompute.device_types import TYPES, DeviceType, TypeKey
from precompute.mechanism_file.schema import amounts as a
from precompute.mechanism_file.schema import values as v
from precompute.mechanism_file.schema.annotations import Rows
from precompute.mechanism_file.schema.checks import Faults, Scope, check_number, each, fault, inside, sequence, shown
from precompute.mechanism_file.schema.entry import Entry
from precompute.mechanism_file.schema.measure_words import MEASURE, MEASURE_SHOWN, WORDS, Written
from precompute.model.devices import MOST_MEASURES

# -- what they are connected to ---------------------------------------------------------------------------------------

ALONE = "s"
"""Symbol of a measure that is given without one."""

_KEYS_OF_MEASURES = frozenset(key for words in WORDS for key in words.keys)


class On(NamedTuple):
    """Measures by their symbols."""

    measures: dict[str, Written]
    alone: bool  # it is one, without a symbol


def is_measure(value: Any) -> bool:
    """Whether `on` is a measure, good or bad, and no table of them."""
    return not isinstance(value, dict) or bool(_KEYS_OF_MEASURES & {*value})


def _check_on(value: Any, scope: Scope) -> On:
    if is_measure(value):
        return On({ALONE: MEASURE.check(value, scope)}, alone=True)
    if len(value) > MOST_MEASURES:
        raise fault(f"names {len(value)} measures; an element is connected to {MOST_MEASURES} at most")
    faults = []
    for symbol in value:
        try:
            a.check_symbol(symbol, scope)
        except Faults as found:
            faults += [((symbol,), message) for _, message in found.items]
    try:
        measures = inside(value, dict.fromkeys(value, MEASURE.check), scope)
    except Faults as found:
        raise Faults(*faults, *found.items) from None
    if faults:
        raise Faults(*faults)
    return On(dict(zip(value, measures, strict=True)), alone=False)


_BY_SYMBOL = {"type": "object", "patternProperties": {a.SYMBOL_PATTERN: MEASURE.schema}, "additionalProperties": False}
ON = v.Value(_check_on, {"anyOf": [*MEASURE.schema["anyOf"], _BY_SYMBOL]})

# -- elements with formulas of their own ------------------------------------------------------------------------------

_Amount = Annotated[a.Amount, a.AMOUNT]
_OptionalAmount = Annotated[a.Amount | None, a.AMOUNT]
_Unit = Annotated[str, a.UNIT]
_SiUnit = Annotated[str, a.SI_UNIT]
_Formula = Annotated[str, a.FORMULA]
_Text = Annotated[str, v.TEXT]

_UNIT = "Its unit, for example N/mm: the numbers beside it are in it, formulas and FMU in SI."
_SI = "Its unit, of SI as formulas are: N, m, rad, N.s/m ..."
_ABOUT = "What it is, for the FMU's documentation."


class ParameterEntry(Entry):
    """A parameter, tunable in the FMU."""

    value: _Amount = Field(description='Its value; a text has a unit: "400 N/mm".', examples=[400])
    unit: _Unit = Field(default="", description=_UNIT)
    least: _OptionalAmount = Field(default=None, alias="min", description="No smaller value is accepted.")
    most: _OptionalAmount = Field(default=None, alias="max", description="No larger value is accepted.")
    text: _Text = Field(default="", description=_ABOUT)


class InputEntry(Entry):
    """An input."""

    start: _Amount = Field(description='Its value until a master sets another; a text has a unit: "2 bar".')
    unit: _Unit = Field(default="", description=_UNIT)
    least: _OptionalAmount = Field(default=None, alias="min", description="No smaller value is accepted.")
    most: _OptionalAmount = Field(default=None, alias="max", description="No larger value is accepted.")
    text: _Text = Field(default="", description=_ABOUT)


class StateEntry(Entry):
    """A state, which the FMU integrates."""

    rate: _Formula = Field(description="Formula of its rate, unit/s.", examples=["(s - x)/T"])
    start: _Amount = Field(default=a.Amount(0.0), description="Its value at the start.")
    unit: _SiUnit = Field(default="", description=_SI)
    text: _Text = Field(default="", description=_ABOUT)


class UnknownEntry(Entry):
    """An unknown: the value that makes a formula zero."""

    residual: _Formula = Field(description="The formula that it makes zero.", examples=["k*(s - u) - c*u^3"])
    start: _Amount = Field(default=a.Amount(0.0), description="Where the search for it begins.")
    nominal: _Amount = Field(default=a.Amount(1.0), description="How large it usually is.")
    unit: _SiUnit = Field(default="", description=_SI)
    text: _Text = Field(default="", description=_ABOUT)


class OutputEntry(Entry):
    """A formula that is an output of the FMU, and that other formulas may read."""

    formula: _Formula = Field(description="The formula.", examples=["F*s_rate"])
    unit: _SiUnit = Field(default="", description=_SI)
    text: _Text = Field(default="", description=_ABOUT)


_Symbol = Annotated[str, a.SYMBOL]
_Parameter = Annotated[ParameterEntry, a.Short("value", a.AMOUNT_SCHEMA)]
_Input = Annotated[InputEntry, a.Short("start", a.AMOUNT_SCHEMA)]
_State = Annotated[StateEntry, a.Short("rate", a.FORMULA_SCHEMA)]
_Unknown = Annotated[UnknownEntry, a.Short("residual", a.FORMULA_SCHEMA)]
_Output = Annotated[OutputEntry, a.Short("formula", a.FORMULA_SCHEMA)]
_Table = Annotated[Rows, a.CURVE]


class ElementEntry(Entry):
    """An element with formulas of its own, in SI; or, with `type`, a ready one."""

    on: Annotated[On | None, ON] = Field(
        default=None,
        description="What it is connected to: measures by symbols that formulas use, { s = measure }, one to six; or "
        f"a measure alone, whose symbol is {ALONE}. A measure is {MEASURE_SHOWN}.",
    )
    parameters: dict[_Symbol, _Parameter] = Field(default={}, description="Tunable parameters: numbers, or tables.")
    inputs: dict[_Symbol, _Input] = Field(default={}, description="Inputs of the FMU: start values, or tables.")
    states: dict[_Symbol, _State] = Field(default={}, description="States: formulas of their rates, or tables.")
    unknowns: dict[_Symbol, _Unknown] = Field(
        default={}, description="Unknowns: formulas that they make zero, or tables."
    )
    forces: dict[_Symbol, _Formula] = Field(
        default={}, description="Formulas of forces on measures of `on`; a positive one makes its measure grow."
    )
    outputs: dict[_Symbol, _Output] = Field(default={}, description="Outputs: formulas, or tables.")
    tables: dict[_Symbol, _Table] = Field(
        default={}, description="Rows [x, y] of piecewise linear functions, which formulas call: NAME(x)."
    )

    @classmethod
    def unknown_key(cls, key: str, table: dict[str, Any]) -> str:
        """A key of a ready type wants the type."""
        owners = [kind.name for kind in TYPES.values() if key in [own.name for own in kind.keys]]
        if owners:
            return f'unknown key without a type; write type = "{owners[0]}" if it is one'
        return super().unknown_key(key, table)


# -- ready types ------------------------------------------------------------------------------------------------------


class TypedEntry(Entry):
    """An element of a ready type."""

    on: Annotated[On, ON] = Field(
        description=f"The measure that it is connected to: {MEASURE_SHOWN}.", examples=["spring.shock.length"]
    )

    @classmethod
    def unknown_key(cls, key: str, table: dict[str, Any]) -> str:
        """Tell a key of formulas from a misspelt one."""
        if key in ElementEntry.keys():
            return f"an element of type '{table['type']}' has no '{key}'; known: {', '.join(sorted(cls.keys()))}"
        return super().unknown_key(key, table)


def unit_words(unit: str) -> str:
    """The unit of a key as the file has it: "E/L" is force/length, or torque/angle."""
    if not re.search(r"\b[EL]\b", unit):
        words = {"m": "length", "rad": "angle", "N": "force", "kg": "mass"}
        return re.sub(r"[A-Za-z]+", lambda found: words.get(found[0], found[0]), unit)
    force, torque = (
        re.sub(r"\b[EL]\b", lambda found, own=own: own[found[0]], unit)  # type: ignore[misc]
        for own in ({"E": "force", "L": "length"}, {"E": "torque", "L": "angle"})
    )
    return f"{force} (on an angle {torque})"


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
    unit = ", ".join(map(unit_words, key.columns)) if key.columns else unit_words(key.unit)
    text = f"{key.text} [{unit}]."
    if key.default is None and not key.optional:
        return Annotated[Any, _key_value(key)], Field(description=text)
    default = "" if key.default is None else f" Default: {key.default:g}" + " in SI" * bool(key.default) + "."
    return Annotated[Any, _key_value(key)], Field(default=None, description=text + default)


def _typed(kind: DeviceType) -> type[TypedEntry]:
    """The model of a ready type."""
    fields: dict[str, Any] = {"type": (Literal.__getitem__(kind.name), Field(description="Its type."))}
    fields |= {key.name: _key_field(key) for key in kind.keys}
    name = "".join(word.capitalize() for word in kind.name.split("_")) + "Entry"
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
