"""Checks of values over the six directions of joints and bushings, and of values that a word may replace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from precompute.mechanism_file.schema.checks import (
    Check,
    Faults,
    Scope,
    check_flag,
    check_number,
    check_rows,
    each,
    fault,
    inside,
    sequence,
    shown,
)
from precompute.model.mechanism import DIRECTIONS, nearest

SYMMETRY = 1e-9  # relative slack of entries that must be equal

check_six = sequence(check_number, (6,), "six numbers: three along and three about its axes")
_check_matrix = sequence(check_six, (6,), "six numbers, or six rows of six numbers")


def check_six_or_matrix(value: Any, scope: Scope) -> tuple[float, ...] | tuple[tuple[float, ...], ...]:
    """Six numbers that are not negative, or a symmetric matrix."""
    if isinstance(value, list | tuple) and any(isinstance(row, list | tuple) for row in value):
        matrix: tuple[tuple[float, ...], ...] = _check_matrix(value, scope)
        _check_symmetry(matrix)
        if negative := [i for i in range(6) if matrix[i][i] < 0.0]:
            said = "what is on the diagonal must be zero or positive"
            raise Faults(*(((i, i), f"is {matrix[i][i]:g}; {said}") for i in negative))
        return matrix
    if not isinstance(value, list | tuple) or len(value) != 6:
        raise fault(f"is {shown(value)}; it must be six numbers, three along and three about its axes, or a 6x6 matrix")
    six: tuple[float, ...] = check_six(value, scope)
    if faults := [((i,), f"is {x:g}; it must be zero or positive") for i, x in enumerate(six) if x < 0.0]:
        raise Faults(*faults)
    return six


def _check_symmetry(matrix: tuple[tuple[float, ...], ...]) -> None:
    slack = SYMMETRY * max(abs(x) for row in matrix for x in row)
    pairs = [(i, j) for i in range(6) for j in range(i) if abs(matrix[i][j] - matrix[j][i]) > slack]
    if pairs:
        i, j = pairs[0]
        raise fault(
            f"is not symmetric: row {i + 1}, column {j + 1} is {matrix[i][j]:g}, but row {j + 1}, column {i + 1} is "
            f"{matrix[j][i]:g}"
        )


def _check_direction(value: Any, scope: Scope) -> str:
    if value not in DIRECTIONS:
        hint = nearest(value, DIRECTIONS) if isinstance(value, str) else f"choose from {', '.join(DIRECTIONS)}"
        raise fault(f"is {shown(value)}; {hint}")
    return str(value)


def check_directions(value: Any, scope: Scope) -> tuple[str, ...]:
    """A list of some of the six directions."""
    if not isinstance(value, list | tuple) or not value:
        raise fault(f'is {shown(value)}; it must be a list of directions, for example ["x", "ry", "rz"]')
    names = each(value, _check_direction, scope)
    if faults := [((i,), f"'{name}' is given twice") for i, name in enumerate(names) if name in names[:i]]:
        raise Faults(*faults)
    return names


def check_load(value: Any, scope: Scope) -> bool | tuple[str, ...]:
    """True or false, or a list of some of the six directions."""
    if isinstance(value, bool):
        return value
    if not isinstance(value, list | tuple) or not value:
        raise fault(f'is {shown(value)}; it must be true, false or a list of directions, for example ["x", "y"]')
    return check_directions(value, scope)


def check_direction_rows(value: Any, scope: Scope) -> dict[str, Any]:
    """A force table for some of the six directions."""
    if not isinstance(value, dict) or not value:
        raise fault(f"is {shown(value)}; it must be a table such as {{ x = [[-1, -500], [0, 0], [1, 500]] }}")
    if faults := [((key,), f"unknown key; {nearest(str(key), DIRECTIONS)}") for key in value if key not in DIRECTIONS]:
        raise Faults(*faults)
    return dict(zip(value, inside(value, dict.fromkeys(value, check_rows), scope), strict=True))


def _or_word(check: Check, word: str, what: str) -> Callable[[Any, Scope], Any]:
    def checked(value: Any, scope: Scope) -> Any:
        if isinstance(value, str):
            if value != word:
                raise fault(f'is {shown(value)}; it must be {what} or "{word}"')
            return value
        return check(value, scope)

    return checked


def number_or(word: str) -> Check:
    """Check of a number that a word may replace."""
    return _or_word(check_number, word, "a number")


def flag_or(word: str) -> Check:
    """Check of true or false, or a word."""
    return _or_word(check_flag, word, "true, false")
