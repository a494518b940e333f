"""Checks of the values in a mechanism file: numbers, points, axes, names; each with its complaint in plain words.

A check turns a raw value of the document into a typed one or raises `Faults`, which names every fault found and where
inside the value it is.  A name is checked against the names that the file has, the `Scope`.  Values keep the units of
the file.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from precompute.mechanism_file.schema.toml_text import Path
from precompute.model.mechanism import nearest
from precompute.units import Units

NAME_PATTERN = r"^[A-Za-z][A-Za-z0-9_]*$"
WORD_PATTERN = r"^[A-Za-z0-9]+$"
LARGEST = 1e50  # beyond it squares of products may overflow
GLOBAL_AXES = ("x", "y", "z", "-x", "-y", "-z")

Point = str | tuple[float, ...]
"""A point's name, or its position (3,)."""


class Faults(Exception):
    """What is wrong with a value: (place inside it, message) each.  None at all: it depends on another faulty one."""

    def __init__(self, *items: tuple[Path, str]) -> None:
        self.items = items
        super().__init__("; ".join(message for _, message in items))


def fault(message: str, *place: str | int) -> Faults:
    """A single fault."""
    return Faults((place, message))


@dataclass(frozen=True)
class Scope:
    """The names that values may refer to, faulty objects included; None where they cannot be known."""

    points: frozenset[str] | None = None
    bodies: frozenset[str] | None = None  # with the ground
    joints: frozenset[str] | None = None  # without rods and cams
    rods: frozenset[str] = frozenset()
    cams: frozenset[str] = frozenset()
    springs: frozenset[str] | None = None
    dampers: frozenset[str] | None = None
    bushings: frozenset[str] | None = None
    markers: frozenset[str] | None = None
    wheels: frozenset[str] | None = None
    axles: frozenset[str] | None = None
    coordinates: frozenset[str] | None = None
    units: Units = field(default_factory=Units)

    def require(self, noun: str, name: str) -> None:
        """Raise unless there is a `noun` of that name."""
        known: frozenset[str] | None
        if noun == "joint" and name in self.rods:
            raise fault(f"'{name}' is a rod, which has no coordinate; name a joint of another type")
        if noun == "joint" and name in self.cams:
            raise fault(f"'{name}' is a cam, which has no coordinate; name a joint of another type")
        if noun == "connection":  # a joint, a rod or a cam
            noun, known = "joint", None if self.joints is None else self.joints | self.rods | self.cams
        else:
            known = getattr(self, "bodies" if noun == "body" else f"{noun}s")
        if known is not None and name not in known:
            raise fault(f"there is no {noun} '{name}'; {nearest(name, known)}")


Check = Callable[[Any, Scope], Any]


def shown(value: object) -> str:
    """A value as the user wrote it, shortened."""
    match value:
        case None:
            return "empty"
        case bool():
            return "true" if value else "false"
        case str():
            text = f"'{value}'" if value.isprintable() else repr(value)
        case dict():
            return "a table"
        case list() | tuple():
            text = "[" + ", ".join(map(shown, value)) + "]"
        case int() if abs(value) > LARGEST:
            return "a huge number"
        case _:
            text = str(value)
    return text if len(text) <= 60 else text[:56] + " ..."


def inside(values: Any, checks: Mapping[Any, Check], scope: Scope) -> tuple[Any, ...]:
    """Check the elements of a list or dict, each with the check of its position or key; report all that are faulty."""
    checked, faults = [], []
    for key, check in checks.items():
        try:
            checked.append(check(values[key], scope))
        except Faults as found:
            faults += [((key, *place), message) for place, message in found.items]
    if faults:
        raise Faults(*faults)
    return tuple(checked)


def each(values: Sequence[Any], check: Check, scope: Scope) -> tuple[Any, ...]:
    """Check every element of a list alike."""
    return inside(values, dict.fromkeys(range(len(values)), check), scope)


def sequence(check: Check, sizes: Sequence[int], what: str) -> Check:
    """Check of a list with one of `sizes` elements, described by `what`."""

    def checked(value: Any, scope: Scope) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple) or len(value) not in sizes:
            raise fault(f"is {shown(value)}; it must be {what}")
        return each(value, check, scope)

    return checked


# -- numbers, texts ---------------------------------------------------------------------------------------------------


def check_number(value: Any, scope: Scope) -> float:
    """A finite number of sane size."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise fault(f"is {shown(value)}; it must be a number" + (", without quotes" if isinstance(value, str) else ""))
    if not (isinstance(value, int) or math.isfinite(value)):
        raise fault(f"is {value}; it must be a finite number")
    if abs(value) > LARGEST:
        raise fault(f"is {shown(value)}; numbers beyond {LARGEST:g} are not accepted")
    return float(value)


def number_check(least: float | None, most: float | None, above: float | None, unit: str, whole: bool) -> Check:
    """Check of a number within limits; the texts know "positive", "zero or positive" and a range."""

    def check(value: Any, scope: Scope) -> float:
        checked = check_number(value, scope)
        name = getattr(scope.units, unit, unit)
        text = f"is {value}{' ' if name else ''}{name}"
        if whole and not isinstance(value, int):
            raise fault(f"{text}; it must be a whole number")
        if least is not None and most is not None and not least <= checked <= most:
            raise fault(f"{text}; choose between {least:g} and {most:g}")
        if above is not None and checked <= above:
            raise fault(f"{text}; it must be positive")
        if least is not None and checked < least:
            raise fault(f"{text}; it must be zero or positive")
        return int(value) if whole else checked

    return check


def check_flag(value: Any, scope: Scope) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise fault(f"is {shown(value)}; it must be true or false, without quotes")
    return value


def check_text(value: Any, scope: Scope) -> str:
    """Any text that XML can hold."""
    if not isinstance(value, str):
        raise fault(f"is {shown(value)}; it must be a text in quotes")
    if found := re.search("[^\t\n\r\\x20-\ufffd\U00010000-\U0010ffff]", value):
        raise fault(f"contains the control character U+{ord(found[0]):04X}, which no FMU can hold; leave it out")
    if not value.isprintable() and any("\ud800" <= letter <= "\udfff" for letter in value):
        raise fault("contains a lone surrogate, which is no character")
    return value


def check_name(value: Any, scope: Scope) -> str:
    """A name that can become part of an FMI variable's name."""
    if not isinstance(value, str):
        raise fault(f"is {shown(value)}; it must be a name in quotes")
    if not re.fullmatch(NAME_PATTERN, value) or value.endswith("\n"):
        raise fault(f"{shown(value)} is not a name; use letters, digits and underscores, starting with a letter")
    return value


def check_word(value: Any, scope: Scope) -> str:
    """A part of names."""
    if not isinstance(value, str) or not re.fullmatch(WORD_PATTERN, value) or value.endswith("\n"):
        raise fault(f'is {shown(value)}; it must be a word of names, letters and digits, for example "right" or "r"')
    return value


def choice_check(options: Sequence[str]) -> Check:
    """Check of one of a few words."""

    def check(value: Any, scope: Scope) -> str:
        if value not in options:
            near = get_close_matches(value, options, n=1) if isinstance(value, str) else []
            hint = f"did you mean '{near[0]}'? " if near else ""
            raise fault(f"is {shown(value)}; {hint}choose one of {', '.join(options)}")
        return str(value)

    return check


# -- points, axes -----------------------------------------------------------------------------------------------------

check_vector = sequence(check_number, (3,), "three numbers [x, y, z]")


def check_point(value: Any, scope: Scope) -> Point:
    """A point's name or three numbers."""
    if isinstance(value, str):
        scope.require("point", value)
        return value
    if not isinstance(value, list | tuple):
        raise fault(f"is {shown(value)}; it must be a point's name or three numbers [x, y, z]")
    vector: tuple[float, ...] = check_vector(value, scope)
    return vector


check_points = sequence(check_point, (2,), 'two points, for example ["P", "Q"]')


def check_place(value: Any, scope: Scope) -> tuple[Point, Point]:
    """One point for both bodies of a joint, or a pair: on the parent, on the child."""
    if isinstance(value, list | tuple) and len(value) == 2:
        on_parent, on_child = check_points(value, scope)
        return on_parent, on_child
    if isinstance(value, list | tuple) and (len(value) != 3 or any(isinstance(item, str) for item in value)):
        raise fault(f"is {shown(value)}; it must be one point (a name or three numbers) or a pair of points")
    point = check_point(value, scope)
    return point, point


def check_axis(value: Any, scope: Scope) -> str | tuple[str, ...] | tuple[float, ...]:
    """A global axis, a vector, or two or three points' names."""
    if isinstance(value, str) and value in GLOBAL_AXES:
        return value
    if isinstance(value, list | tuple) and len(value) in (2, 3) and all(isinstance(item, str) for item in value):
        return each(value, check_point, scope)
    if isinstance(value, list | tuple) and len(value) == 3 and not any(isinstance(item, list | str) for item in value):
        vector: tuple[float, ...] = check_vector(value, scope)
        if math.hypot(*vector) < 1e-12:
            raise fault(f"is {shown(value)}; an axis must not have zero length")
        return vector
    raise fault(
        f'is {shown(value)}; it must be "x", "y", "z", "-x", "-y", "-z", a vector [x, y, z], two points ["P", "Q"] '
        'or three points ["P", "Q", "R"] for the normal of their plane'
    )


check_axes = sequence(check_axis, (2,), 'two axes, for example ["x", "y"]')
check_inertia = sequence(check_number, (3, 6), "[xx, yy, zz] or [xx, yy, zz, xy, xz, yz]")


check_pair = sequence(check_number, (2,), "two numbers [x, y]")


def check_pairs(value: Any, scope: Scope) -> tuple[tuple[float, float], ...]:
    """Rows of two numbers."""
    if not isinstance(value, list | tuple):
        raise fault(f"is {shown(value)}; it must be rows of two numbers, [[0, 16], [10, 16.2], ...]")
    return each(value, sequence(check_number, (2,), "a row of two numbers [angle, distance]"), scope)


def check_rows(value: Any, scope: Scope) -> tuple[tuple[float, float], ...]:
    """Rows [x, force] of a force table, x ascending."""
    if not isinstance(value, list | tuple) or len(value) < 2:
        raise fault(f"is {shown(value)}; it must be at least two rows [[x, force], [x, force]]")
    rows = each(value, sequence(check_number, (2,), "a row of two numbers [x, force]"), scope)
    pairs = enumerate(zip(rows, rows[1:], strict=False), start=1)
    if faults := [
        ((at,), f"its x is {row[0]:g} after {last[0]:g}; the first column must ascend")
        for at, (last, row) in pairs
        if row[0] <= last[0]
    ]:
        raise Faults(*faults)
    return rows
