"""Numbers that may have units of their own, units, symbols and formulas in a mechanism file: their checks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationError
from pydantic_core import CoreSchema, core_schema

from fmu_src.model.units import exponents
from precompute.errors import PrecomputeError
from precompute.mechanism_file.schema import values as v
from precompute.mechanism_file.schema.checks import Scope, check_number, check_rows, each, fault, sequence, shown
from precompute.model.devices import symbol_problem
from precompute.quantities import parsed, scale_to, si_unit, split
from precompute.units import Scale

SYMBOL_PATTERN = r"^[A-Za-z_][A-Za-z0-9_]*$"


class Amount(NamedTuple):
    """A number as it is written."""

    number: float
    unit: str = ""  # as it is written; empty if there is none

    def __str__(self) -> str:
        return f"{self.number:g} {self.unit}".rstrip()


def in_si(amount: Amount, unit: str) -> float:
    """A number in SI; it is in a unit unless it has one of its own.

    Raises:
        PrecomputeError: its own measures something else.
    """
    if amount.unit:
        return fitting(amount.unit, si_unit(unit))(amount.number)
    return (parsed_scale(unit) if unit else Scale())(amount.number)


def fitting(own: str, unit: str) -> Scale:
    """From a unit to one of SI.

    Raises:
        PrecomputeError: they measure different things.
    """
    return parsed_scale(own) if exponents(own) == exponents(unit) is not None else scale_to(own, unit)


def parsed_scale(unit: str) -> Scale:
    """The scale of a unit that is known to SI, in lowest terms where it is none."""
    scale = Scale() if exponents(unit) is not None else parsed(unit)[0]
    return Scale() if scale.up == scale.down else scale


# -- checks -----------------------------------------------------------------------------------------------------------


def check_amount(value: Any, scope: Scope) -> Amount:
    """A number, or one with its unit in a text."""
    if not isinstance(value, str):
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise fault(f'is {shown(value)}; it must be a number, or one with a unit, for example "400 N/mm"')
        return Amount(check_number(value, scope))
    try:
        number, unit = split(value)
        if unit:
            si_unit(unit)
    except PrecomputeError as error:
        raise fault(f"is {shown(value)}: {error}") from None
    if not math.isfinite(number):
        raise fault(f"is {shown(value)}; it must be a finite number")
    return Amount(check_number(number, scope), unit)


def check_amounts(value: Any, scope: Scope) -> tuple[Amount, ...]:
    """Several."""
    if not isinstance(value, list | tuple) or not value:
        raise fault(f"is {shown(value)}; it must be a list of numbers")
    return each(value, check_amount, scope)


def check_unit(value: Any, scope: Scope) -> str:
    """Any unit that is known."""
    if not isinstance(value, str):
        raise fault(f'is {shown(value)}; it must be a unit in quotes, for example "N/mm"')
    try:
        si_unit(value)
    except PrecomputeError as error:
        raise fault(f"is {shown(value)}: {error}") from None
    return value


def check_si_unit(value: Any, scope: Scope) -> str:
    """A unit of what a formula gives."""
    unit = check_unit(value, scope)
    if parsed_scale(unit) != Scale():
        raise fault(f'is {shown(value)}; formulas are in SI, so write "{si_unit(unit)}"')
    return si_unit(unit)


def check_symbol(value: Any, scope: Scope) -> str:
    """A name of formulas."""
    if not isinstance(value, str):
        raise fault(f"is {shown(value)}; it must be a name in quotes")
    if problem := symbol_problem(value):
        raise fault(f"{shown(value)} is a name that {problem}")
    return value


def check_formula(value: Any, scope: Scope) -> str:
    """A formula; what it says is looked at when all symbols are known."""
    if not isinstance(value, str):
        raise fault(f'is {shown(value)}; it must be a formula in quotes, for example "-k*s"')
    return value


def check_curve(value: Any, scope: Scope) -> tuple[tuple[float, float], ...]:
    """Rows [x, y], x ascending."""
    if not isinstance(value, list | tuple) or len(value) < 2:
        raise fault(f"is {shown(value)}; it must be at least two rows [[x, y], [x, y]]")
    each(value, sequence(check_number, (2,), "a row of two numbers [x, y]"), scope)
    return check_rows(value, scope)


AMOUNT_SCHEMA = {"type": ["number", "string"]}
FORMULA_SCHEMA = {"type": "string"}
AMOUNT = v.Value(check_amount, AMOUNT_SCHEMA)
UNIT = v.Value(check_unit, {"type": "string"})
SI_UNIT = v.Value(check_si_unit, {"type": "string"})
SYMBOL = v.Value(check_symbol, {"type": "string", "pattern": SYMBOL_PATTERN})
FORMULA = v.Value(check_formula, FORMULA_SCHEMA)
CURVE = v.Value(check_curve, v.ROWS.schema)


# -- short forms ------------------------------------------------------------------------------------------------------


class Short:
    """Annotation of a table that may be written as the value of one of its keys alone."""

    def __init__(self, key: str, schema: dict[str, Any]) -> None:
        self.key, self.schema = key, schema

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """The table's own, with the value in its place."""
        return core_schema.no_info_wrap_validator_function(self._validated, handler(source))

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Either."""
        return {"anyOf": [self.schema, handler(core)]}

    def _validated(self, value: Any, handler: core_schema.ValidatorFunctionWrapHandler) -> Any:
        if isinstance(value, dict):
            return handler(value)
        try:
            return handler({self.key: value})
        except ValidationError as error:
            found = [(self._place(detail["loc"]), detail["msg"]) for detail in error.errors(include_url=False)]
            raise v.validation_error(found, value) from None

    def _place(self, place: Sequence[str | int]) -> tuple[str | int, ...]:
        return tuple(place[1:] if place[:1] == (self.key,) else place)
