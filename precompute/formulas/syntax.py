"""The language of formulas: texts -> trees.

    sum      product ((+ | -) product)*
    product  sign ((* | /) sign)*
    sign     - sign | + sign | power
    power    atom (^ sign)?                       so -x^2 is -(x^2) and 2^-1 is 1/2
    atom     number | pi | name | name.name | function(sum, ...) | if(condition, sum, sum) | (sum)
    condition  sum (< | <= | > | >=) sum          only as the first argument of `if`

There is no time in it: what changes with time enters as an input.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from fmu_src.model.programs import Op

FUNCTIONS: dict[str, tuple[int, str]] = {
    "min": (-2, "the smallest of two or more"),
    "max": (-2, "the largest of two or more"),
    "abs": (1, "without its sign"),
    "sqrt": (1, "square root"),
    "exp": (1, "exponential"),
    "log": (1, "natural logarithm"),
    "sin": (1, "sine of an angle in rad"),
    "cos": (1, "cosine of an angle in rad"),
    "atan2": (2, "angle of y, x in rad"),
    "tanh": (1, "hyperbolic tangent"),
    "sign": (2, "of x, w: -1 and 1 beyond the width w, smooth within: v (3 - v^2)/2 with v = x/w"),
    "if": (3, "of condition, a, b: a where the condition holds, else b; only that one is evaluated"),
}
"""Function -> how many arguments, negative: so many or more; and what it is."""

OPERATORS = {"+": Op.ADD, "-": Op.SUBTRACT, "*": Op.MULTIPLY, "/": Op.DIVIDE, "^": Op.POWER}
COMPARISONS = {"<": Op.LESS, "<=": Op.AT_MOST, ">": Op.MORE, ">=": Op.AT_LEAST}

MOST_NESTED = 60
"""Brackets, signs and powers within one another."""

MOST_PIECES = 400
"""Numbers, names and signs of a formula."""

TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?)"
    r"|(?P<sign>\*\*|<=|>=|==|[-+*/^<>(),])|(?P<other>\S))",
    re.ASCII,
)


class FormulaError(ValueError):
    """A mistake in a formula."""

    def __init__(self, message: str, column: int) -> None:
        super().__init__(message)
        self.message = message
        self.column = column  # of the formula, from 1


@dataclass(frozen=True)
class Number:
    """A number."""

    value: float
    column: int


@dataclass(frozen=True)
class Name:
    """A symbol, of this element or, with a point in it, of another."""

    name: str
    column: int


@dataclass(frozen=True)
class Call:
    """An operator, a comparison, a function, a table, or "negative"; of trees."""

    function: str
    arguments: tuple[Tree, ...]
    column: int


Tree = Number | Name | Call

NEGATIVE = "-x"
"""The sign, as a function of one argument; no name, so that no table can have it, and no text calls it."""


@dataclass(frozen=True)
class Token:
    """A piece of the text."""

    kind: str  # "number", "name", "sign" or "end"
    text: str
    column: int


@lru_cache(maxsize=1024)
def parse(text: str) -> Tree:
    """The tree of a formula.

    Raises:
        FormulaError: the text is none; what is wrong, and where.
    """
    return _Parser(text).whole()


def names(tree: Tree) -> list[Name]:
    """All symbols that a formula reads, in order."""
    if isinstance(tree, Name):
        return [tree]
    return [name for part in tree.arguments for name in names(part)] if isinstance(tree, Call) else []


def renamed(text: str, new: Callable[[str], str]) -> str:
    """A formula with other words in place of its symbols; functions and tables keep their names.

    Raises:
        FormulaError: it has signs that no formula has.
    """
    found, at = list[str](), 0
    pieces = _tokens(text)
    for token, follows in zip(pieces, pieces[1:], strict=False):
        if token.kind == "name" and token.text != "pi" and follows.text != "(":
            found += [text[at : token.column - 1], new(token.text)]
            at = token.column - 1 + len(token.text)
    return "".join([*found, text[at:]])


def _tokens(text: str) -> list[Token]:
    found: list[Token] = []
    at = 0
    while match := TOKEN.match(text, at):
        kind = str(match.lastgroup)
        column = match.start(kind) + 1
        piece = match[kind]
        if kind == "other":
            raise FormulaError(f"'{piece}' has no meaning in a formula", column)
        if piece in ("**", "=="):
            raise FormulaError({"**": "powers are written ^", "==": "compare with <, <=, > or >="}[piece], column)
        if len(found) == MOST_PIECES:
            message = (
                f"is too long: more than {MOST_PIECES} numbers, names and signs; divide it by outputs that it reads"
            )
            raise FormulaError(message, column)
        found.append(Token(kind, piece, column))
        at = match.end()
    return [*found, Token("end", "", len(text.rstrip()) + 1)]


class _Parser:
    """Goes through the tokens of one text."""

    def __init__(self, text: str) -> None:
        self.tokens = _tokens(text)
        self.at = 0
        self.nested = 0

    def whole(self) -> Tree:
        tree = self.sum()
        if self.here.kind != "end":
            raise self.unexpected()
        return tree

    @property
    def here(self) -> Token:
        return self.tokens[self.at]

    def take(self, *texts: str) -> Token | None:
        """The token here, if it is one of these signs."""
        token = self.here
        if token.kind != "sign" or token.text not in texts:
            return None
        self.at += 1
        return token

    def expect(self, text: str) -> None:
        if not self.take(text):
            raise self.unexpected(f"; '{text}' is missing")

    def unexpected(self, hint: str = "") -> FormulaError:
        token = self.here
        if token.kind == "end":
            return FormulaError(f"the formula ends too early{hint}", token.column)
        if token.text in COMPARISONS:
            hint = ": a comparison stands as the first argument of if(condition, a, b)"
        return FormulaError(f"'{token.text}' is not expected here{hint}", token.column)

    def deeper(self) -> None:
        self.nested += 1
        if self.nested > MOST_NESTED:
            raise FormulaError(f"is nested more than {MOST_NESTED} deep", self.here.column)

    def sum(self) -> Tree:
        self.deeper()
        tree = self.product()
        while token := self.take("+", "-"):
            tree = Call(token.text, (tree, self.product()), token.column)
        self.nested -= 1
        return tree

    def product(self) -> Tree:
        tree = self.sign()
        while token := self.take("*", "/"):
            tree = Call(token.text, (tree, self.sign()), token.column)
        return tree

    def sign(self) -> Tree:
        token = self.take("-", "+")
        if token is None:
            return self.power()
        self.deeper()
        tree = self.sign()
        self.nested -= 1
        return tree if token.text == "+" else Call(NEGATIVE, (tree,), token.column)

    def power(self) -> Tree:
        base = self.atom()
        token = self.take("^")
        if token is None:
            return base
        self.deeper()
        exponent = self.sign()
        self.nested -= 1
        return Call("^", (base, exponent), token.column)

    def atom(self) -> Tree:
        token = self.here
        if self.take("("):
            tree = self.sum()
            self.expect(")")
            return tree
        if token.kind == "number":
            self.at += 1
            value = float(token.text)
            if not math.isfinite(value):
                raise FormulaError(f"{token.text} is too large a number", token.column)
            return Number(value, token.column)
        if token.kind != "name":
            raise self.unexpected()
        self.at += 1
        if self.take("("):
            return self.call(token)
        return Number(math.pi, token.column) if token.text == "pi" else Name(token.text, token.column)

    def call(self, token: Token) -> Tree:
        arguments = [self.condition() if token.text == "if" else self.sum()]
        while self.take(","):
            arguments.append(self.sum())
        self.expect(")")
        count, _ = FUNCTIONS.get(token.text, (1, "a table"))
        if len(arguments) != count and not 0 < -count <= len(arguments):
            needed = f"{-count} or more" if count < 0 else f"{count}"
            has = f"{len(arguments)} argument" + "s" * (len(arguments) != 1)
            raise FormulaError(f"{token.text}() has {has}, it takes {needed}", token.column)
        return Call(token.text, tuple(arguments), token.column)

    def condition(self) -> Tree:
        left = self.sum()
        token = self.take(*COMPARISONS)
        if token is None:
            raise self.unexpected("; if() begins with a comparison, for example if(x > 0, a, b)")
        return Call(token.text, (left, self.sum()), token.column)
