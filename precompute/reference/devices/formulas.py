"""The value of a formula: a walk through its tree.

Numbers are floats, or complex ones: with the step h of 1e-30 in the imaginary part of what a formula reads, the
imaginary part of its value is h times its derivative, without any difference.  Where a formula has a corner, it is that
of the side that the real parts are on.
"""

from __future__ import annotations

import cmath
import math
import operator
from collections.abc import Callable, Mapping
from typing import Protocol

from precompute.formulas.syntax import NEGATIVE, Call, Name, Number, Tree
from precompute.model.devices import DeviceTable

Value = float | complex


class NoValueError(ArithmeticError):
    """A formula has none, here."""


class Scope(Protocol):
    """Where a formula finds what it names."""

    def number(self, name: str) -> Value:
        """Of a symbol."""
        ...

    def table(self, name: str) -> DeviceTable:
        """A piecewise linear function."""
        ...


def value(tree: Tree, scope: Scope) -> Value:
    """The value of a formula.

    Raises:
        NoValueError: it has none.
    """
    try:
        found = _walk(tree, scope)
    except ZeroDivisionError:
        raise NoValueError("divides by zero") from None
    except (OverflowError, ValueError):
        raise NoValueError("is not finite") from None
    if not (math.isfinite(found.real) and math.isfinite(found.imag)):
        raise NoValueError("is not finite")
    return found


def _walk(tree: Tree, scope: Scope) -> Value:
    if isinstance(tree, Number):
        return tree.value
    if isinstance(tree, Name):
        return scope.number(tree.name)
    if tree.function == "if":
        condition, then, otherwise = tree.arguments
        return _walk(then if _holds(condition, scope) else otherwise, scope)
    arguments = [_walk(argument, scope) for argument in tree.arguments]
    known = FUNCTIONS.get(tree.function)
    return known(*arguments) if known else along(scope.table(tree.function), arguments[0])


def _holds(condition: Tree, scope: Scope) -> bool:
    assert isinstance(condition, Call)
    a, b = (_walk(side, scope).real for side in condition.arguments)
    return bool(COMPARED[condition.function](a, b))


def along(table: DeviceTable, x: Value) -> Value:
    """A piecewise linear function, continued beyond both ends."""
    inner = int((table.x[1:-1] <= x.real).sum())  # so many pieces are passed
    (x0, x1), (y0, y1) = table.x[inner : inner + 2].tolist(), table.y[inner : inner + 2].tolist()
    share: Value = (x - x0) / (x1 - x0)
    return y0 * (1.0 - share) + y1 * share


def _power(x: Value, n: Value) -> Value:
    if isinstance(n, float) and n == int(n):
        return x ** int(n)
    if x.real < 0.0:
        raise NoValueError("takes a power that is no number")
    if x == 0.0:
        if n.real < 0.0:
            raise ZeroDivisionError
        return 0.0
    return x**n


def _sqrt(x: Value) -> Value:
    if x.real < 0.0:
        raise NoValueError("takes the square root of a negative number")
    return cmath.sqrt(x) if isinstance(x, complex) else math.sqrt(x)


def _log(x: Value) -> Value:
    if x.real <= 0.0:
        raise NoValueError("takes the logarithm of a number that is not positive")
    return cmath.log(x) if isinstance(x, complex) else math.log(x)


def _either(of_floats: Callable[[float], float], of_complex: Callable[[complex], complex]) -> Callable[[Value], Value]:
    return lambda x: of_complex(x) if isinstance(x, complex) else of_floats(x)


def _angle(y: Value, x: Value) -> Value:
    turned = math.atan2(y.real, x.real)
    size = x.real * x.real + y.real * y.real
    change = y.imag * x.real - y.real * x.imag
    return turned + 1j * change / size if change and size else turned


def _sign(x: Value, width: Value) -> Value:
    if width.real <= 0.0:
        raise NoValueError("takes a sign with a width that is not positive")
    v = x / width
    if abs(v.real) >= 1.0:
        return math.copysign(1.0, v.real)
    return 1.5 * v - 0.5 * v * v * v


FUNCTIONS: Mapping[str, Callable[..., Value]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "^": _power,
    NEGATIVE: operator.neg,
    "min": lambda *x: min(x, key=lambda number: number.real),
    "max": lambda *x: max(x, key=lambda number: number.real),
    "abs": lambda x: -x if x.real < 0.0 else x,
    "sqrt": _sqrt,
    "exp": _either(math.exp, cmath.exp),
    "log": _log,
    "sin": _either(math.sin, cmath.sin),
    "cos": _either(math.cos, cmath.cos),
    "atan2": _angle,
    "tanh": _either(math.tanh, cmath.tanh),
    "sign": _sign,
}

COMPARED = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
