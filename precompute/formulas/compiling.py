"""Trees -> programs of the FMU, see `fmu_src.model.programs`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from fmu_src.model import programs
from fmu_src.model.programs import MOST_DEPTH, MOST_POWER, Op
from precompute.formulas.syntax import COMPARISONS, NEGATIVE, OPERATORS, Call, Name, Number, Tree

CALLS = {
    NEGATIVE: Op.NEGATE,
    "min": Op.MIN,
    "max": Op.MAX,
    "abs": Op.ABS,
    "sqrt": Op.SQRT,
    "exp": Op.EXP,
    "log": Op.LOG,
    "sin": Op.SIN,
    "cos": Op.COS,
    "atan2": Op.ATAN2,
    "tanh": Op.TANH,
    "sign": Op.SIGN,
    **OPERATORS,
    **COMPARISONS,
}


@dataclass(frozen=True)
class Program:
    """A program with the constants that it reads, by their numbers."""

    code: tuple[int, ...]
    constants: tuple[float, ...]
    slots: int  # more than the largest that it reads
    tables: int

    @property
    def problem(self) -> str | None:
        """Why it cannot run: formulas may be too deep."""
        found = programs.problem(self.code, len(self.constants), self.slots, self.tables)
        if found and "more than" in found:
            return (
                f"is too deep: it needs more than {MOST_DEPTH} intermediate results at once; divide it by outputs that "
                "it reads"
            )
        return found

    def moved(self, first: int) -> tuple[int, ...]:
        """Its code, where its constants begin with number `first` among others."""
        pairs = zip(self.code[::2], self.code[1::2], strict=True)
        return tuple(n for op, operand in pairs for n in (op, operand + first * (op == Op.NUMBER)))


def program(tree: Tree, slot: Callable[[str], int], tables: Mapping[str, int]) -> Program:
    """The program of a formula.

    Args:
        tree: without unknown names.
        slot: the slot of a symbol.
        tables: the number of each table of the element.
    """
    writer = _Writer(slot, tables)
    writer.write(tree)
    slots, most = 1 + max(writer.slots, default=-1), 1 + max(tables.values(), default=-1)
    return Program(tuple(writer.code), tuple(writer.constants), slots, most)


@dataclass
class _Writer:
    """Collects instructions."""

    slot: Callable[[str], int]
    tables: Mapping[str, int]
    code: list[int] = field(default_factory=list)
    constants: list[float] = field(default_factory=list)
    slots: list[int] = field(default_factory=list)

    def put(self, op: Op, operand: int = 0) -> int:
        """One more instruction; where its operand is."""
        self.code += [int(op), operand]
        return len(self.code) - 1

    @property
    def here(self) -> int:
        """Number of the next instruction."""
        return len(self.code) // 2

    def write(self, tree: Tree) -> None:
        if isinstance(tree, Number):
            if tree.value not in self.constants:
                self.constants.append(tree.value)
            self.put(Op.NUMBER, self.constants.index(tree.value))
        elif isinstance(tree, Name):
            self.slots.append(self.slot(tree.name))
            self.put(Op.SLOT, self.slots[-1])
        elif tree.function == "if":
            self._write_choice(*tree.arguments)
        elif tree.function == "^" and (power := _whole(tree.arguments[1])) is not None:
            self.write(tree.arguments[0])
            self.put(Op.WHOLE_POWER, power)
        elif tree.function in self.tables:
            self.write(tree.arguments[0])
            self.put(Op.TABLE, self.tables[tree.function])
        else:
            self._write_call(tree)

    def _write_call(self, tree: Call) -> None:
        """Arguments, and what joins them; of more than two, each as soon as it is there."""
        self.write(tree.arguments[0])
        for argument in tree.arguments[1:]:
            self.write(argument)
            self.put(CALLS[tree.function])
        if len(tree.arguments) == 1:
            self.put(CALLS[tree.function])

    def _write_choice(self, condition: Tree, then: Tree, otherwise: Tree) -> None:
        self.write(condition)
        unless = self.put(Op.JUMP_UNLESS)
        self.write(then)
        jump = self.put(Op.JUMP)
        self.code[unless] = self.here
        self.write(otherwise)
        self.code[jump] = self.here


def _whole(tree: Tree) -> int | None:
    """A small whole number that stands in the text, if it is one."""
    sign = 1
    while isinstance(tree, Call) and tree.function == NEGATIVE:
        tree, sign = tree.arguments[0], -sign
    whole = isinstance(tree, Number) and tree.value == int(tree.value) and tree.value <= MOST_POWER
    return sign * int(tree.value) if whole and isinstance(tree, Number) else None
