"""The keys that give a spring, stop or damper its curve, as fields of its dataclass.

A field made by `curve_key` says all there is to say about one of them.  The mechanism file's keys with their checks and
help, reading and writing, the laws and parameters of the FMU and their tuning follow from these fields.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from numbers import Real
from typing import Any


@dataclass(frozen=True)
class CurveKey:
    """One way to give a curve: a number, zero or positive unless it is `signed`, or a `ForceTable`."""

    name: str  # of the field, and of the key in the mechanism file
    curve: str  # of fmu_src.model.law_parts
    symbol: str  # of the FMU's parameter
    help: str  # for the key in the file
    text: str  # describes the parameter, if it is a number
    signed: bool  # whether it may be negative


def curve_key(curve: str, symbol: str, help: str, text: str = "", signed: bool = False) -> Any:
    """A field of a dataclass; exactly one of its curve keys is given, the others are None."""
    about = {"curve": curve, "symbol": symbol, "help": help, "text": text, "signed": signed}
    return field(default=None, metadata=about)


def curve_keys(kind: type) -> tuple[CurveKey, ...]:
    """The curve keys of a dataclass, in order."""
    return tuple(CurveKey(f.name, **f.metadata) for f in fields(kind) if "curve" in f.metadata)


def given_curve(item: Any) -> tuple[CurveKey, Any]:
    """The curve key that is given, and its value."""
    return next((key, value) for key in curve_keys(type(item)) if (value := getattr(item, key.name)) is not None)


def check_curve(item: Any, who: str = "") -> None:
    """Refuse an item with no curve or two, or with a number that is negative or not finite.

    Raises:
        ValueError: what is wrong, in words; `who` comes first.
    """
    keys = curve_keys(type(item))
    values = {key: value for key in keys if (value := getattr(item, key.name)) is not None}
    if len(values) != 1:
        *others, last = [f"a {key.name}" for key in keys]
        raise ValueError(f"{who}takes either {', '.join(others)} or {last}" if others else f"{who}needs {last}")
    ((key, value),) = values.items()
    if isinstance(value, Real) and not (math.isfinite(value) and (key.signed or float(value) >= 0.0)):
        raise ValueError(f"{key.name} is {value:g}; it must be {'finite' if key.signed else 'zero or positive'}")
