"""What a metric says of itself; a metric is a pure function of a record, and one line above it.

The first paragraph of its docstring is its definition, as lists and pages print it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from precompute.errors import PrecomputeError
from precompute.kc.conventions import Sign

Order = Literal["position", "velocity", "statics"]

Of = Literal["wheel", "element", "side", "axle"]
"""Its arguments: a Record; a Record and an Element; an AxleRecord and a Side; an AxleRecord."""

Unit = Literal[
    "rad", "m", "%", "Hz", "N", "N/m", "N m/rad", "rad/m", "rad/rad", "measure/m", "measure/m2",
    "steering/rad", "rad/N", "m/N", "rad/(N m)", "m/(N m)", "matrix",
]  # fmt: skip
"""SI and radians; "measure" and "steering" are m or rad, as the element or the steering has it."""


class MissingError(PrecomputeError):
    """A record has not what a metric needs."""


@dataclass(frozen=True)
class Metric:
    """A metric and all that is known of it."""

    name: str
    function: Callable[..., Any]
    unit: Unit
    order: Order
    of: Of
    sign: Sign
    source: str  # which body of convention says so
    definition: str
    roles: tuple[str, ...] = ()  # of elements


REGISTERED: dict[str, Metric] = {}
"""All metrics by name, in the order in which modules define them; `registry` imports these."""

_Function = TypeVar("_Function", bound=Callable[..., Any])


def metric(
    unit: Unit,
    order: Order,
    of: Of,
    sign: Sign,
    source: str,
    *,
    name: str | None = None,
    definition: str | None = None,
    roles: tuple[str, ...] = (),
) -> Callable[[_Function], _Function]:
    """Register a function as a metric, by its own name and docstring unless others are given."""

    def register(function: _Function) -> _Function:
        text = definition or (inspect.getdoc(function) or "").split("\n\n")[0].replace("\n", " ")
        found = Metric(name or function.__name__, function, unit, order, of, sign, source, text, roles)
        if found.name in REGISTERED:
            raise ValueError(f"metric '{found.name}' exists already")
        REGISTERED[found.name] = found
        return function

    return register


_Value = TypeVar("_Value")


def need(value: _Value | None, what: str) -> _Value:
    """The value, or an error that says what is missing."""
    if value is None:
        raise MissingError(f"needs {what}")
    return value
