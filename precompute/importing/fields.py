"""Tables of other programs' files, read key by key: all faults are collected, and what nobody asked for is known."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from precompute.errors import MechanismError
from precompute.hints import closest

Vector = list[float]

LARGEST = 1e12
"""No length in m, rate in N/m or inertia in kg m2 is larger; computing goes on with the squares of squares of these."""


def shortened(text: str) -> str:
    """What a message can show of a file."""
    return text if len(text) <= 100 else f"{text[:97]}..."


def usable(value: float) -> bool:
    """Whether a number may be one of a suspension; whole numbers may be longer than any of `float`."""
    return -LARGEST <= value <= LARGEST


class Fields:
    """A table of names and values.

    What is missing or of another kind is a fault, and reading goes on with NaN or an empty table; `check` raises all.
    """

    def __init__(self, table: Mapping[str, Any], place: str = "", faults: list[str] | None = None):
        self.content = table
        self.place = place
        self.faults: list[str] = [] if faults is None else faults
        self._read: set[str] = set()
        self._below: dict[str, Fields] = {}

    def __contains__(self, key: str) -> bool:
        return key in self.content

    def check(self, source: str) -> None:
        """Raise all faults found so far.

        Raises:
            MechanismError: there are some.
        """
        if self.faults:
            raise MechanismError(self.faults, source)

    def number(self, key: str, default: float | None = None) -> float:
        """A finite number; the default, if there is one, where it is missing."""
        if key not in self.content and default is not None:
            return default
        return self._finite(key, self._value(key))

    def numbers(self, key: str, count: int = 3) -> Vector:
        """So many finite numbers, as a list."""
        value = self._value(key)
        if value is _MISSING:
            return [math.nan] * count
        if not isinstance(value, list) or len(value) != count:
            self._fault(key, f"is {_shown(value)}; {count} numbers are expected")
            return [math.nan] * count
        return [self._finite(key, x) for x in value]

    def rows(self, key: str) -> list[Vector]:
        """Pairs of numbers."""
        value = self._value(key)
        if value is _MISSING:
            return []
        if not isinstance(value, list) or not all(isinstance(row, list) and len(row) == 2 for row in value):
            self._fault(key, f"is {_shown(value)}; a list of pairs of numbers is expected")
            return []
        return [[self._finite(key, x) for x in row] for row in value]

    def text(self, key: str, default: str | None = None) -> str:
        """A text."""
        if key not in self.content and default is not None:
            return default
        value = self._value(key)
        if value is _MISSING:
            return ""
        if not isinstance(value, str):
            self._fault(key, f"is {_shown(value)}; a text is expected")
            return ""
        return value

    def flag(self, key: str) -> bool:
        """True or false; false where it is missing."""
        value = self._value(key) if key in self.content else False
        if not isinstance(value, bool):
            self._fault(key, f"is {_shown(value)}; true or false is expected")
        return value is True

    def table(self, key: str) -> Fields:
        """A table in it."""
        if key not in self._below:
            value = self._value(key)
            if value is not _MISSING and not isinstance(value, Mapping):
                self._fault(key, f"is {_shown(value)}; a table is expected")
            content = value if isinstance(value, Mapping) else {}
            heard = self.faults if isinstance(value, Mapping) else []  # what is missing in what is missing is no news
            self._below[key] = Fields(content, f"{self.place}{key}: ", heard)
        return self._below[key]

    def unread(self) -> list[str]:
        """What nobody asked for, with its place."""
        own = [f"{self.place}{key}" for key in self.content if key not in self._read]
        return own + [text for below in self._below.values() for text in below.unread()]

    def known(self, *keys: str) -> None:
        """These were looked at and mean nothing here."""
        self._read.update(keys)

    def _value(self, key: str) -> Any:
        if key in self.content:
            self._read.add(key)
            return self.content[key]
        close = closest(key, (other for other in self.content if other not in self._read))
        self._fault(key, "is missing" + (f"; did you mean it by '{close}'?" if close else ""))
        return _MISSING

    def _finite(self, key: str, value: Any) -> float:
        if value is _MISSING:
            return math.nan
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not usable(value):
            number = isinstance(value, (int, float)) and not isinstance(value, bool) and value == value  # not NaN
            most = f" of at most {LARGEST:g}" if number else ""
            self._fault(key, f"has {_shown(value)}; a finite number{most} is expected")
            return math.nan
        return float(value)

    def _fault(self, key: str, text: str) -> None:
        self.faults.append(f"{self.place}'{key}' {text}")


_MISSING: Any = object()


def _shown(value: Any) -> str:
    """A value, in few words: what holds others may be endless, as aliases in YAML are."""
    if isinstance(value, Mapping):
        return f"a table with {len(value)} entries"
    if isinstance(value, list) and (len(value) > 4 or not all(isinstance(x, (float, str)) or x is None for x in value)):
        return f"a list with {len(value)} entries"
    if isinstance(value, int) and not usable(value):
        return "a whole number beyond all measure"
    text = repr(value[:40] if isinstance(value, str) else value)
    return text if len(text) <= 40 else text[:37] + "..."
