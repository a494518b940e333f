"""Which format a file has, and its importer."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from precompute.arrays import Array
from precompute.errors import MechanismError, PrecomputeError
from precompute.importing.assetto import assetto
from precompute.importing.chrono import chrono
from precompute.importing.draft import Draft
from precompute.importing.drafted_text import drafted_text
from precompute.importing.explorer import explorer
from precompute.importing.fields import Fields
from precompute.importing.notes import Notes
from precompute.importing.point_table import csv_rows, points_of, xlsx_rows
from precompute.importing.points_only import Known, layout_of, point_corner, take_points
from precompute.importing.teim_corner import teim
from precompute.mechanism_file import from_document

MOST_BYTES = 10_000_000
"""More has no description of a suspension."""


@dataclass(frozen=True)
class Asked:
    """What the command line says besides the file."""

    name: str | None = None
    template: str | None = None
    unit: str | None = None  # of lengths in a table
    axes: Array | None = None  # (3, 3) rows: forward, left and up in the file's axes; None where the format says it
    known: Known = Known()


@dataclass(frozen=True)
class Imported:
    """A mechanism file, and what it does not hold."""

    text: str
    notes: Notes
    format: str


def imported(path: Path, asked: Asked) -> Imported:
    """A file of another program as a mechanism file.

    Args:
        path: the file; its ending, or what is in it, says the format.
        asked: what it leaves open.

    Raises:
        PrecomputeError: it cannot be read, or is none of these formats; a MechanismError has all faults.
    """
    if not path.is_file():
        raise PrecomputeError(f"cannot read '{path}': there is no such file")
    if path.stat().st_size > MOST_BYTES:
        raise PrecomputeError(f"'{path}' has more than {MOST_BYTES:,} bytes: that is no suspension")
    ending = path.suffix.lower()
    if ending not in FORMATS:
        raise PrecomputeError(f"'{path}': files ending in {', '.join(FORMATS)} can be imported, not in '{ending}'")
    kind, take = FORMATS[ending]
    draft = Draft(_name(asked.name or path.stem), f"imported from {kind}", Notes())
    try:
        take(path, draft, asked)
    except MechanismError as error:
        raise MechanismError(error.problems, f"'{path.name}', as {kind},") from None
    from_document(draft.document(), f"what was imported from '{path.name}'")
    return Imported(drafted_text(draft, f"'{path.name}', {kind}"), draft.notes, kind)


def _name(text: str) -> str:
    """A name that a mechanism may have."""
    plain = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_")
    return plain if plain[:1].isalpha() else f"Imported_{plain}".rstrip("_")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise PrecomputeError(f"cannot read '{path}' as UTF-8 text: {error}") from None


def take_chrono(path: Path, draft: Draft, asked: Asked) -> None:
    """JSON; comments of C, which Chrono allows, are passed over."""
    try:
        content: Any = json.loads(without_comments(_text(path)))
    except json.JSONDecodeError as error:
        raise MechanismError([f"line {error.lineno}: it is no JSON: {error.msg}"], "the file") from None
    if not isinstance(content, dict):
        raise MechanismError(["it is no table of names and values"], "the file")
    file = Fields(content)
    if asked.name is None and isinstance(content.get("Name"), str):
        draft.name = _name(content["Name"])
    file.known("Name", "Type", "Template")
    chrono(file, draft, asked.known.radius, asked.known.rack is not False)
    draft.notes.left_out.extend(f"{key}" for key in file.unread())


COMMENTS = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.S)


def without_comments(text: str) -> str:
    """JSON without comments; lines stay where they are."""
    return COMMENTS.sub(lambda m: m[0] if m[0].startswith('"') else re.sub(r"[^\n]", " ", m[0]), text)


def take_table(path: Path, draft: Draft, asked: Asked) -> None:
    """Points of a table."""
    rows = xlsx_rows(path) if path.suffix.lower() == ".xlsx" else csv_rows(_text(path))
    points, unit = points_of(rows, asked.unit)
    if unit is None:
        draft.notes.assumed.append("lengths in mm; --unit gives another")
    R = np.eye(3) if asked.axes is None else asked.axes
    if asked.axes is None:
        draft.notes.assumed.append("axes of ISO 8855: x forward, y left, z up; --axes gives others")
    layout = layout_of(asked.template)
    take_points(draft, layout, {name: R @ place for name, place in points.items()})
    point_corner(draft, layout, asked.known)


def take_teim(path: Path, draft: Draft, asked: Asked) -> None:
    """TeimOrbit text."""
    teim(_text(path), path.parent, draft, layout_of(asked.template), asked.axes, asked.known)


def take_explorer(path: Path, draft: Draft, asked: Asked) -> None:
    """YAML of suspension-explorer."""
    try:
        import yaml
    except ImportError:
        raise PrecomputeError("YAML needs PyYAML: pip install 'kinetab[import]'") from None
    try:
        content = yaml.safe_load(_text(path))
    except yaml.YAMLError as error:
        raise MechanismError([f"it is no YAML: {' '.join(str(error).split())}"], "the file") from None
    if asked.name is None and isinstance(content, dict) and isinstance(content.get("name"), str):
        draft.name = _name(content["name"])
    explorer(content, draft, asked.known)


def take_assetto(path: Path, draft: Draft, asked: Asked) -> None:
    """suspensions.ini."""
    assetto(_text(path), draft, asked.known)


TEIM = "TeimOrbit text"

FORMATS: dict[str, tuple[str, Callable[[Path, Draft, Asked], None]]] = {
    ".json": ("suspension JSON of Chrono::Vehicle", take_chrono),
    ".csv": ("a table of hardpoints", take_table),
    ".xlsx": ("a table of hardpoints", take_table),
    ".sub": (TEIM, take_teim),
    ".tpl": (TEIM, take_teim),
    ".txt": (TEIM, take_teim),
    ".yaml": ("geometry of suspension-explorer", take_explorer),
    ".yml": ("geometry of suspension-explorer", take_explorer),
    ".ini": ("suspensions.ini of Assetto Corsa", take_assetto),
}
"""By the ending of the file."""
