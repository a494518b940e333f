"""Formulas of elements as small postfix programs, with forward derivatives.

A program is a list of instructions that work on a stack, written as one row of numbers: an operation and its operand,
each in turn.  What is left on the stack at the end is the value of the formula.  Jumps go forward and leave as many
entries whichever way is taken, so that `if` evaluates one of its branches.  With a value goes its gradient, over as
many directions as the slots have theirs.  NumPy and the kernel (`devices.c`) run the same instructions in order.

`problem` says what is wrong with a program; one that has no problem can be run without looking.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

MOST_DEPTH = 32
"""Entries of the stack."""

MOST_INSTRUCTIONS = 1024
"""Of a program."""


class Op(IntEnum):
    """What an instruction does.  Operations with two arguments take the lower one of the stack first."""

    NUMBER = 0  # put constant number `operand` on the stack
    SLOT = 1  # put slot `operand` on the stack
    ADD = 2
    SUBTRACT = 3
    MULTIPLY = 4
    DIVIDE = 5
    POWER = 6
    WHOLE_POWER = 7  # to the power `operand`, from -64 to 64
    NEGATE = 8
    MIN = 9
    MAX = 10
    ABS = 11
    SQRT = 12
    EXP = 13
    LOG = 14
    SIN = 15
    COS = 16
    ATAN2 = 17  # of y, x
    TANH = 18
    SIGN = 19  # of x, w: -1 and 1 beyond the width w > 0, and v (3 - v^2) / 2 with v = x / w within
    TABLE = 20  # number `operand`, piecewise linear; its end slopes continue
    LESS = 21  # 1 if it holds, else 0; the same for the next three
    AT_MOST = 22
    MORE = 23
    AT_LEAST = 24
    JUMP_UNLESS = 25  # takes one entry; if that is zero the instruction `operand` is next
    JUMP = 26  # the instruction `operand` is next


ARGUMENTS = {
    **dict.fromkeys((Op.NUMBER, Op.SLOT, Op.JUMP), 0),
    **dict.fromkeys((Op.WHOLE_POWER, Op.NEGATE, Op.ABS, Op.SQRT, Op.EXP, Op.LOG, Op.SIN, Op.COS, Op.TANH), 1),
    **dict.fromkeys((Op.TABLE, Op.JUMP_UNLESS), 1),
    **dict.fromkeys((Op.ADD, Op.SUBTRACT, Op.MULTIPLY, Op.DIVIDE, Op.POWER, Op.MIN, Op.MAX, Op.ATAN2, Op.SIGN), 2),
    **dict.fromkeys((Op.LESS, Op.AT_MOST, Op.MORE, Op.AT_LEAST), 2),
}
"""How many entries of the stack each operation takes."""

MOST_POWER = 64
"""Of WHOLE_POWER."""


class Failure(IntEnum):
    """Why a formula has no value."""

    DIVISION = 0
    ROOT = 1
    LOGARITHM = 2
    POWER = 3
    WIDTH = 4
    INFINITE = 5
    SLOPE = 6


FAILURES = (
    "divides by zero",
    "takes the square root of a negative number",
    "takes the logarithm of a number that is not positive",
    "takes a power that is no number",
    "takes a sign with a width that is not positive",
    "is not finite",
    "has a slope that is not finite",
)
"""In words, by number."""


class FormulaFailure(ArithmeticError):
    """A formula has no value."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(FAILURES[failure])
        self.failure = failure


Code = Sequence[int]
"""Operation and operand of each instruction in turn."""


@dataclass(frozen=True)
class Table:
    """A piecewise linear function, as `law_parts.interpolate` has it."""

    x: tuple[float, ...]  # ascending, two at least
    y: tuple[float, ...]


class Entry(NamedTuple):
    """A value with its gradient."""

    value: float
    slope: list[float]


def run(code: Code, constants: Sequence[float], tables: Sequence[Table], slots: Sequence[Entry]) -> Entry:
    """The value of a formula and its gradient, over the directions that all slots have.

    Raises:
        FormulaFailure: it has none.
    """
    stack: list[Entry] = []
    none = [0.0] * len(slots[0].slope) if slots else []
    at = 0
    while at < len(code) // 2:
        op, operand = code[2 * at], code[2 * at + 1]
        at += 1
        if op == Op.NUMBER:
            stack.append(Entry(constants[operand], none))
        elif op == Op.SLOT:
            stack.append(slots[operand])
        elif op == Op.JUMP:
            at = operand
        elif op == Op.JUMP_UNLESS:
            at = operand if stack.pop().value == 0.0 else at
        elif ARGUMENTS[Op(op)] == 1:
            stack.append(_of_one(op, operand, tables, stack.pop()))
        else:
            b, a = stack.pop(), stack.pop()
            stack.append(_of_two(op, a, b))
    found = stack.pop()
    if not math.isfinite(found.value):
        raise FormulaFailure(Failure.INFINITE)
    if not all(math.isfinite(slope) for slope in found.slope):
        raise FormulaFailure(Failure.SLOPE)
    return found


def _chain(value: float, factor: float, slope: list[float]) -> Entry:
    return Entry(value, [factor * d for d in slope])


def _of_one(op: int, operand: int, tables: Sequence[Table], a: Entry) -> Entry:
    x = a.value
    if op == Op.NEGATE:
        return _chain(-x, -1.0, a.slope)
    if op == Op.WHOLE_POWER:
        if x == 0.0 and operand < 0:
            raise FormulaFailure(Failure.DIVISION)
        return _chain(whole_power(x, operand), operand * whole_power(x, operand - 1) if operand else 0.0, a.slope)
    if op == Op.ABS:
        return _chain(abs(x), 1.0 if x >= 0.0 else -1.0, a.slope)
    if op == Op.SQRT:
        if not x >= 0.0:
            raise FormulaFailure(Failure.ROOT)
        root = math.sqrt(x)
        return _chain(root, 0.5 / root if root else 0.0, a.slope)  # of its slopes at zero, the one to the left
    if op == Op.EXP:
        power = _exponential(x)
        return _chain(power, power, a.slope)
    if op == Op.LOG:
        if not x > 0.0:
            raise FormulaFailure(Failure.LOGARITHM)
        return _chain(math.log(x), 1.0 / x, a.slope)
    if op in (Op.SIN, Op.COS):
        if not math.isfinite(x):
            raise FormulaFailure(Failure.INFINITE)
        sine, cosine = math.sin(x), math.cos(x)
        return _chain(sine, cosine, a.slope) if op == Op.SIN else _chain(cosine, -sine, a.slope)
    if op == Op.TANH:
        value = math.tanh(x)
        return _chain(value, 1.0 - value * value, a.slope)
    assert op == Op.TABLE
    table = tables[operand]
    i = min(max(bisect_right(table.x, x) - 1, 0), len(table.x) - 2)
    slope = (table.y[i + 1] - table.y[i]) / (table.x[i + 1] - table.x[i])
    return _chain(table.y[i] + (x - table.x[i]) * slope, slope, a.slope)


def _of_two(op: int, a: Entry, b: Entry) -> Entry:
    x, y = a.value, b.value
    if op == Op.ADD:
        return Entry(x + y, [p + q for p, q in zip(a.slope, b.slope, strict=True)])
    if op == Op.SUBTRACT:
        return Entry(x - y, [p - q for p, q in zip(a.slope, b.slope, strict=True)])
    if op == Op.MULTIPLY:
        return Entry(x * y, [p * y + x * q for p, q in zip(a.slope, b.slope, strict=True)])
    if op == Op.DIVIDE:
        if y == 0.0:
            raise FormulaFailure(Failure.DIVISION)
        value = x / y
        return Entry(value, [(p - value * q) / y for p, q in zip(a.slope, b.slope, strict=True)])
    if op == Op.MIN:
        return a if x <= y else b
    if op == Op.MAX:
        return a if x >= y else b
    if op == Op.POWER:
        return _power(a, b)
    if op == Op.ATAN2:
        size = x * x + y * y
        per = 1.0 / size if size else 0.0
        return Entry(math.atan2(x, y), [(p * y - x * q) * per for p, q in zip(a.slope, b.slope, strict=True)])
    if op == Op.SIGN:
        return _sign(a, b)
    holds = (x < y, x <= y, x > y, x >= y)[op - Op.LESS]
    return Entry(float(holds), [0.0] * len(a.slope))


def _exponential(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def _power(a: Entry, b: Entry) -> Entry:
    x, y = a.value, b.value
    if x < 0.0 and y % 1.0 != 0.0:  # nor is one that is no number
        raise FormulaFailure(Failure.POWER)
    if x == 0.0 and y < 0.0:
        raise FormulaFailure(Failure.DIVISION)
    try:
        value = math.pow(x, y)
    except OverflowError:
        raise FormulaFailure(Failure.INFINITE) from None
    along = y * value / x if x else float(y == 1.0)
    other = math.log(x) * value if x > 0.0 else 0.0
    return Entry(value, [along * p + other * q for p, q in zip(a.slope, b.slope, strict=True)])


def _sign(a: Entry, b: Entry) -> Entry:
    x, w = a.value, b.value
    if not w > 0.0:
        raise FormulaFailure(Failure.WIDTH)
    v = x / w
    if abs(v) >= 1.0:
        return Entry(math.copysign(1.0, v), [0.0] * len(a.slope))
    along = 1.5 * (1.0 - v * v) / w
    return Entry(0.5 * v * (3.0 - v * v), [along * (p - v * q) for p, q in zip(a.slope, b.slope, strict=True)])


def whole_power(x: float, n: int) -> float:
    """x to the power n by repeated multiplication."""
    value = 1.0
    for _ in range(abs(n)):
        value *= x
    return value if n >= 0 else (1.0 / value if value else math.inf)


def problem(code: Code, constants: int, slots: int, tables: int) -> str | None:
    """What is wrong with a program, if anything.

    Args:
        code: the program.
        constants: how many there are.
        slots: how many there are that it may read.
        tables: how many there are.
    """
    count, odd = divmod(len(code), 2)
    if odd or not 0 < count <= MOST_INSTRUCTIONS:
        return f"it has {count} instructions; 1 to {MOST_INSTRUCTIONS} are possible"
    depth: int | None = 0  # of the stack; None behind a jump, until another jump arrives
    arriving: dict[int, int] = {}
    limits = {Op.NUMBER: constants, Op.SLOT: slots, Op.TABLE: tables}
    for number, (op, operand) in enumerate(zip(code[::2], code[1::2], strict=True)):
        if number in arriving:
            if depth is not None and depth != arriving[number]:
                return f"its branches leave {depth} and {arriving[number]} entries on the stack"
            depth = arriving[number]
        if depth is None:
            return f"its instruction {number} is never reached"
        if op not in ARGUMENTS:
            return f"its instruction {number} is number {op}, which is none"
        own = Op(op)
        if depth < ARGUMENTS[own]:
            return f"its instruction {number} finds {depth} entries on the stack and takes {ARGUMENTS[own]}"
        if own in limits and not 0 <= operand < limits[own]:
            return f"its instruction {number} has the operand {operand}, of {limits[own]}"
        if own == Op.WHOLE_POWER and not -MOST_POWER <= operand <= MOST_POWER:
            return f"its instruction {number} has the operand {operand}"
        depth += (own not in (Op.JUMP, Op.JUMP_UNLESS)) - ARGUMENTS[own]
        if depth > MOST_DEPTH:
            return f"it needs more than {MOST_DEPTH} entries of the stack"
        if own in (Op.JUMP, Op.JUMP_UNLESS):
            if not number < operand <= count:
                return f"its instruction {number} jumps to {operand}, not forward within {count}"
            if arriving.setdefault(operand, depth) != depth:
                return f"its branches leave {depth} and {arriving[operand]} entries on the stack"
            if own == Op.JUMP:
                depth = None
    ends = {end for end in (depth, arriving.get(count)) if end is not None}
    return None if ends == {1} else f"it leaves {sorted(ends)} entries on the stack instead of one"
