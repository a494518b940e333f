"""The elements of a mechanism file that have formulas of their own, and their keys, as pydantic models.

Numbers are kept as they are written; `mechanism_file.elements` converts them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, NamedTuple

from pydantic import Field

from precompute.device_types import TYPES
from precompute.errors import PrecomputeError
from precompute.mechanism_file.schema import amounts as a
from precompute.mechanism_file.schema import values as v
from precompute.mechanism_file.schema.annotations import Rows
from precompute.mechanism_file.schema.checks import Faults, Scope, fault, inside, shown
from precompute.mechanism_file.schema.entry import Entry, Placed
from precompute.mechanism_file.schema.measure_words import CONNECTED, CONNECTED_SHOWN, OF_CAM, WORDS, Written
from precompute.model.devices import LOAD, MOST_MEASURES, RATE
from precompute.quantities import si_unit

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
        return On({ALONE: CONNECTED.check(value, scope)}, alone=True)
    if len(value) > MOST_MEASURES:
        raise fault(f"names {len(value)} measures; an element is connected to {MOST_MEASURES} at most")
    faults = []
    for symbol in value:
        try:
            a.check_symbol(symbol, scope)
        except Faults as found:
            faults += [((symbol,), message) for _, message in found.items]
    try:
        measures = inside(value, dict.fromkeys(value, CONNECTED.check), scope)
    except Faults as found:
        raise Faults(*faults, *found.items) from None
    if faults:
        raise Faults(*faults)
    return On(dict(zip(value, measures, strict=True)), alone=False)


_MEASURE = {"anyOf": [v.same_as("MeasureEntry", "of"), {"type": "string", "pattern": f"^{OF_CAM.pattern}$"}]}
_BY_SYMBOL = {"type": "object", "patternProperties": {a.SYMBOL_PATTERN: _MEASURE}, "additionalProperties": False}
ON = v.Value(_check_on, {"anyOf": [_MEASURE, _BY_SYMBOL]})
TYPED_ON = v.Value(_check_on, v.same_as("ElementEntry", "on"))

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


class NumberEntry(Entry):
    """What parameters and inputs have."""

    unit: _Unit = Field(default="", description=_UNIT)
    least: _OptionalAmount = Field(default=None, alias="min", description="No smaller value is accepted.")
    most: _OptionalAmount = Field(default=None, alias="max", description="No larger value is accepted.")
    text: _Text = Field(default="", description=_ABOUT)

    def given(self) -> tuple[str, a.Amount]:
        """The key of its value, and what stands there."""
        raise NotImplementedError

    @property
    def own_unit(self) -> str:
        """The unit of its numbers: that which is said, or which its value has."""
        return self.unit or self.given()[1].unit

    def _joint_faults(self) -> list[Placed]:
        key, given = self.given()
        faults: list[Placed] = []
        numbers = {key: given, "min": self.least, "max": self.most}
        values = {name: _converted(n, self.own_unit, name, faults) for name, n in numbers.items() if n is not None}
        for bound, way in (("min", 1.0), ("max", -1.0)):
            value, limit = values.get(key), values.get(bound)
            if value is not None and limit is not None and way * (value - limit) < 0.0:
                faults.append(((key,), f"is {given}; its {bound} is {numbers[bound]}"))
        return faults


def _converted(amount: a.Amount, unit: str, key: str, faults: list[Placed]) -> float | None:
    """A number in SI, or None and why there is none."""
    try:
        return a.in_si(amount, unit)
    except PrecomputeError as error:
        faults.append(((key,), f"is '{amount}': {error}"))
        return None


class ParameterEntry(NumberEntry):
    """A parameter, tunable in the FMU."""

    value: _Amount = Field(description='Its value; a text has a unit: "400 N/mm".', examples=[400])

    def given(self) -> tuple[str, a.Amount]:
        """The key of its value, and what stands there."""
        return "value", self.value


class InputEntry(NumberEntry):
    """An input."""

    start: _Amount = Field(
        description='Its value until a master sets another; a text has a unit: "2 bar".', examples=[0]
    )

    def given(self) -> tuple[str, a.Amount]:
        """The key of its value, and what stands there."""
        return "start", self.start


class SoughtEntry(Entry):
    """What states and unknowns have."""

    start: _Amount = Field(default=a.Amount(0.0), description="Its value at the start; where the search begins.")
    unit: _SiUnit = Field(default="", description=_SI)
    text: _Text = Field(default="", description=_ABOUT)

    def _joint_faults(self) -> list[Placed]:
        return self._amount_faults("start", self.start)

    def _amount_faults(self, key: str, amount: a.Amount) -> list[Placed]:
        if amount.unit and not self.unit:
            return [((key,), f"is '{amount}', but its unit is not said; add unit = \"{si_unit(amount.unit)}\"")]
        faults: list[Placed] = []
        _converted(amount, self.unit, key, faults)
        return faults


class StateEntry(SoughtEntry):
    """A state, which the FMU integrates."""

    rate: _Formula = Field(description="Formula of its rate, unit/s.", examples=["(s - x)/T"])


class UnknownEntry(SoughtEntry):
    """An unknown: the value that makes a formula zero."""

    residual: _Formula = Field(description="The formula that it makes zero.", examples=["k*(s - u) - c*u^3"])
    nominal: _Amount = Field(default=a.Amount(1.0), description="How large it usually is.")

    def _joint_faults(self) -> list[Placed]:
        faults = [*super()._joint_faults(), *self._amount_faults("nominal", self.nominal)]
        if self.nominal.number <= 0.0:
            faults.append((("nominal",), f"is {self.nominal}; it must be positive"))
        return faults


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


def _check_load(value: Any, scope: Scope) -> str:
    found = LOAD.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise fault(f'is {shown(value)}; elements read normal forces of cams: "joint.NAME.normal"')
    scope.require("connection", found[1])
    return str(value)


_Load = Annotated[str, v.Value(_check_load, {"type": "string", "pattern": f"^{LOAD.pattern}$"})]


def _twice(table: dict[str, Any]) -> Iterator[Placed]:
    """Symbols that stand for two things."""
    on = table.get("on", {})
    symbols = [ALONE] if is_measure(on) else list(on)
    seen = dict.fromkeys(symbols, "a measure") | {f"{symbol}{RATE}": "the rate of a measure" for symbol in symbols}
    for section in ("parameters", "inputs", "states", "unknowns", "loads", "outputs", "tables"):
        items = table.get(section)
        for symbol in items if isinstance(items, dict) else ():
            if symbol in seen:
                yield (section, symbol), f"this symbol is {seen[symbol]} already; rename one"
            seen.setdefault(symbol, f"one of the {section}")


class ElementEntry(Entry):
    """An element with formulas of its own, in SI; or, with `type`, a ready one."""

    on: Annotated[On | None, ON] = Field(
        default=None,
        description="What it is connected to: measures by symbols that formulas use, { s = measure }, one to six; or "
        f"a measure alone, whose symbol is {ALONE}. A measure is {CONNECTED_SHOWN}.",
    )
    parameters: dict[_Symbol, _Parameter] = Field(default={}, description="Tunable parameters: numbers, or tables.")
    inputs: dict[_Symbol, _Input] = Field(default={}, description="Inputs of the FMU: start values, or tables.")
    states: dict[_Symbol, _State] = Field(default={}, description="States: formulas of their rates, or tables.")
    unknowns: dict[_Symbol, _Unknown] = Field(
        default={}, description="Unknowns: formulas that they make zero, or tables."
    )
    loads: dict[_Symbol, _Load] = Field(
        default={},
        description="Loads of the mechanism that formulas read, by symbols: normal forces of cams, which grow with the "
        'forces of the element, { N = "joint.NAME.normal" }.',
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
        owners = [f'type = "{kind.name}"' for kind in TYPES.values() if key in [own.name for own in kind.keys]]
        if owners:
            return f"unknown key without a type; an element has it with {' or '.join(owners)}"
        return super().unknown_key(key, table)

    @classmethod
    def _rule_faults(cls, table: dict[str, Any]) -> list[Placed]:
        return [*super()._rule_faults(table), *_twice(table)]
