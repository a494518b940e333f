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
    except UnicodeDecodeError as error:
        line, byte = error.object[: error.start].count(b"\n") + 1, error.object[error.start]
        raise PrecomputeError(
            f"cannot read '{path}' as UTF-8 text: line {line} has the byte 0x{byte:02x}; save it as UTF-8"
        ) from None
    except OSError as error:
        raise PrecomputeError(f"cannot read '{path}': {(error.strerror or str(error)).lower()}") from None


def take_chrono(path: Path, draft: Draft, asked: Asked) -> None:
    """JSON; comments of C, which Chrono allows, are passed over."""
    content = parsed_json(without_comments(_text(path)))
    if not isinstance(content, dict):
        raise MechanismError(["it is no table of names and values"], "the file")
    file = Fields(content)
    if asked.name is None and isinstance(content.get("Name"), str):
        draft.name = _name(content["Name"])
    file.known("Name", "Type", "Template")
    chrono(file, draft, asked.known.radius, asked.known.rack is not False)
    draft.notes.left_out.extend(f"{key}" for key in file.unread())


def parsed_json(text: str) -> Any:
    """What is in it; a key that is there twice is a fault, since readers differ in which one they take.

    Raises:
        MechanismError: it is no JSON.
    """

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = [key for key, _ in pairs]
        if twice := next((key for key in keys if keys.count(key) > 1), None):
            raise MechanismError([f"the key '{twice[:80]}' is there twice; keep one of them"], "the file")
        return dict(pairs)

    try:
        return json.loads(text, object_pairs_hook=once)
    except json.JSONDecodeError as error:
        raise MechanismError([f"line {error.lineno}: it is no JSON: {error.msg}"], "the file") from None
    except RecursionError:
        raise MechanismError(["it is nested too deeply"], "the file") from None
    except ValueError:  # Python refuses to read whole numbers with thousands of digits
        raise MechanismError(["it contains a number with thousands of digits"], "the file") from None


COMMENTS = re.compile(r'"(?:\\.|[^"\\])*(?:"|\Z)|//[^\n]*|/\*.*?(?:\*/|\Z)', re.S)
"""Texts, so that what looks like a comment in them stays, and comments; open ones end with the file."""


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
    content = parsed_yaml(_text(path))
    if asked.name is None and isinstance(content, dict) and isinstance(content.get("name"), str):
        draft.name = _name(content["name"])
    explorer(content, draft, asked.known)


def parsed_yaml(text: str) -> Any:
    """What is in it, with keys that are texts, each once.

    Raises:
        MechanismError: it is no YAML, or has other keys.
        PrecomputeError: PyYAML is not there.
    """
    try:
        import yaml
    except ImportError:
        raise PrecomputeError("YAML needs PyYAML: pip install 'kinetab[import]'") from None

    class Loader(yaml.SafeLoader):
        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
            keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
            found: dict[Any, Any] = super().construct_mapping(node, deep)
            if wrong := [key for key in keys if keys.count(key) > 1] or [key for key in found if type(key) is not str]:
                line = node.start_mark.line + 1
                raise yaml.YAMLError(f"the table from line {line} on has the key '{wrong[0]}' twice, or as no text")
            return found

    try:
        return yaml.load(text, Loader)
    except RecursionError:
        raise MechanismError(["it is nested too deeply"], "the file") from None
    except Exception as error:  # dates and numbers that are none end in whatever Python makes of them
        said = " ".join(str(error).split())[:300]
        raise MechanismError([f"it is no YAML: {said}"], "the file") from None


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
