"""A mechanism file being put together: points, objects by section, comments; in mm, kg, N, deg and ISO 8855 axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from precompute.arrays import Array
from precompute.importing.notes import Notes

DIGITS = 9
"""Significant digits of numbers: enough for any drawing, and without the tails of products such as 0.1 * 1000."""

UNITS = {"length": "mm", "mass": "kg", "angle": "deg", "force": "N"}


def tidy(value: Any) -> Any:
    """Numbers as a person would write them; lists and tables of them too."""
    if isinstance(value, Mapping):
        return {key: tidy(x) for key, x in value.items()}
    if isinstance(value, np.ndarray):
        return tidy(value.tolist())
    if isinstance(value, (list, tuple)):
        return [tidy(x) for x in value]
    if isinstance(value, float):
        short = float(f"{value:.{DIGITS}g}")
        return int(short) if short.is_integer() and abs(short) < 1e15 else short
    return value


@dataclass
class Draft:
    """What is known so far."""

    name: str
    description: str
    notes: Notes
    points: dict[str, Array] = field(default_factory=dict)  # (3,) [mm]
    sections: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    comments: dict[tuple[str, str], str] = field(default_factory=dict)  # by section and name

    def point(self, name: str, place: Sequence[float] | Array, comment: str = "") -> None:
        """A point [mm]."""
        self.points[name] = np.asarray(place, dtype=float)
        if comment:
            self.comments["points", name] = comment

    def add(self, section: str, name: str, comment: str = "", **keys: Any) -> None:
        """An object; keys that are None are left out."""
        entry = {key: tidy(value) for key, value in keys.items() if value is not None}
        self.sections.setdefault(section, {})[name] = entry
        if comment:
            self.comments[section, name] = comment

    def document(self) -> dict[str, Any]:
        """All of it, as a parsed TOML file has it."""
        sections: dict[str, Any] = {key: dict(value) for key, value in self.sections.items()}
        if "coordinates" in sections:
            sections["coordinates"] = {"free": sections["coordinates"]}
        if "vehicle" in sections:
            sections["vehicle"] = sections["vehicle"][""]
        return {
            "schema": 1,
            "name": self.name,
            "description": self.description,
            "units": dict(UNITS),
            "gravity": [0, 0, -9.80665],
            "points": {name: tidy(place) for name, place in self.points.items()},
            **sections,
            "tables": {"tolerance": 1e-6},
            "experiment": {"stop_time": 2, "step_size": 0.001},
        }
