"""The text of a mechanism file with its places changed and all else, comments too, left as it is.

    text, the mechanism drawn anew, where its bodies were moved to -> text

A value that still says what it should is left alone.  Named points move with the bodies that use them; where two bodies
now want one point in two places, the name stays with one of them and the other gets numbers.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from precompute.arrays import Array
from precompute.errors import MechanismError
from precompute.geometry.spatial import Transform
from precompute.mechanism_file.file_places import SAME, Item, Place, Second, Value, Way, items, rounded
from precompute.mechanism_file.geometry import Geometry
from precompute.mechanism_file.holds.places import held_items
from precompute.mechanism_file.point_file import file_of_points
from precompute.mechanism_file.reading import parse_document
from precompute.mechanism_file.schema.toml_text import Path, value_spans, value_text
from precompute.mechanism_file.writing import to_document
from precompute.model.mechanism import Mechanism
from precompute.units import Scale

EQUAL = 1e-9
"""How near the numbers of the new text must be to those that it should have."""


def retouched(text: str, new: Mechanism, poses: Mapping[str, Transform]) -> str | None:
    """The text with the places of `new`, or None if it cannot be done by changing values in their places.

    Args:
        text: of a valid mechanism file.
        new: its mechanism drawn anew.
        poses: where each body was moved to.
    """
    document = tomllib.loads(text)
    if "mirror" in document or file_of_points(document) is not None:
        return None  # images, and points of another file, have no place in the text
    scale = new.units.measure()
    old = {name: scale(np.array(p, dtype=float)) for name, p in document.get("points", {}).items()}
    size = max([1e-12, *(float(np.abs(p).max()) for j in new.connections for p in (j.p_P, j.p_C))])
    given = document, new, Geometry(new.units, old), poses
    every = [*items(*given), *held_items(*given)]
    points = moved_points(old, every, poses, SAME * size)
    numbers = _Numbers(scale, size)
    edits: dict[Path, str] = {}
    for name, p in points.items():
        if np.abs(p - old[name]).max() > SAME * size:
            edits["points", name] = numbers.text(p)
    geometry = Geometry(new.units, points)
    for item in every:
        edits |= edit(item, geometry, numbers, SAME * size)
    for item in every:  # a joint whose place was the first point of its axis needs one of its own if that is gone
        if isinstance(item, Place) and item.implied and (*item.path[:-1], "axis") in edits:
            edits[item.path] = numbers.text(item.wanted)
    changed = apply(text, edits)
    if changed is None or not says(changed, new):
        return None
    return changed


def says(text: str, wanted: Mechanism) -> bool:
    """Whether a text is a mechanism file of the mechanism that is wanted, but for joints that are made of bushings."""
    try:
        document = tomllib.loads(text)
        found, asked = to_document(parse_document(joined_places(document))), to_document(wanted)
    except (MechanismError, tomllib.TOMLDecodeError):
        return False
    for each in (found, asked):
        each["joints"] = {name: j for name, j in each["joints"].items() if name in document.get("joints", {})}
        for marker in each.get("markers", {}).values():
            marker.pop("z_axis", None)  # follows from the others, and is written where rounding asks for it
    return equal(found, asked)


def joined_places(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document with one place for a joint's two, one on each body, where these have come to be the same."""
    points, joints = document.get("points", {}), dict(document.get("joints", {}))
    for name, entry in joints.items():
        at = entry.get("at")
        if entry["type"] == "rod" or not isinstance(at, list) or len(at) != 2:
            continue
        p, q = (np.array(points[place] if isinstance(place, str) else place, dtype=float) for place in at)
        if np.abs(p - q).max() <= EQUAL * float(np.abs(p).max()):
            joints[name] = {**entry, "at": next((place for place in at if isinstance(place, str)), at[0])}
    return {**document, "joints": joints} if joints else dict(document)


def equal(a: Any, b: Any) -> bool:
    """Whether two documents are the same, but for the last digits of their numbers."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(equal(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        if all(isinstance(x, (int, float)) for x in (*a, *b)):
            size = max(map(abs, (*a, *b)), default=0.0)
            return all(abs(x - y) <= EQUAL * size + EQUAL**2 for x, y in zip(a, b, strict=True))
        return all(equal(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, float) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=EQUAL, abs_tol=SAME)
    return bool(a == b)


# -- what is to be changed --------------------------------------------------------------------------------------------


def moved_points(
    old: Mapping[str, Array], every: list[Item], poses: Mapping[str, Transform], same: float
) -> dict[str, Array]:
    """The named points, each where one that uses it wants it; those of an axis alone go with its body."""
    wanted: dict[str, list[Array]] = {}
    for item in every:
        if isinstance(item, Place) and isinstance(item.written, str) and not item.implied:
            wanted.setdefault(item.written, []).append(item.wanted)
    for item in every:
        if isinstance(item, Way) and not isinstance(item.written, str) and isinstance(item.written[0], str):
            for name in item.written:
                wanted.setdefault(name, [poses[item.body].point(old[name])])
    out = {}
    for name, p in old.items():
        asked = wanted.get(name, [p])
        out[name] = p if any(np.abs(x - p).max() <= same for x in asked) else asked[0]
    return out


def edit(item: Item, geometry: Geometry, numbers: _Numbers, same: float) -> dict[Path, str]:
    """What to write in an item's place; nothing if it says what it should."""
    if isinstance(item, Value):
        return {item.path: value_text(item.wanted)}
    if isinstance(item, Second):
        usual = np.eye(3) if item.axis else geometry.frame(tuple(item.R[:, 0].tolist()), None, None)
        if np.abs(usual - item.R).max() <= SAME:
            return {}
        first = {item.axis: numbers.direction(item.R[:, 0])} if item.axis else {}
        return first | {item.path: numbers.direction(item.R[:, 1])}
    if isinstance(item, Place):
        if np.abs(geometry.position(item.written) - item.wanted).max() <= same:
            return {}
        return {item.path: numbers.text(item.wanted)}
    v = geometry.direction(item.written)
    if np.abs(v / np.linalg.norm(v) - item.wanted).max() <= SAME:
        return {}
    return {item.path: numbers.direction(item.wanted)}


@dataclass(frozen=True)
class _Numbers:
    """Places and directions as a file writes them."""

    scale: Scale
    size: float  # of the mechanism [m]

    def text(self, p: Array) -> str:
        return value_text(rounded(self.scale.back(p), self.scale.back(self.size)))

    def direction(self, v: Array) -> str:
        return value_text(rounded(v, 1.0))


# -- changing the text ------------------------------------------------------------------------------------------------


def apply(text: str, edits: Mapping[Path, str]) -> str | None:
    """The text with values replaced, and keys added that it has not; None where there is no place for one."""
    spans = value_spans(text)
    changes: list[tuple[int, int, str]] = []
    line = "\r\n" if "\r\n" in text else "\n"
    for path, value in edits.items():
        if path in spans:
            changes.append((*spans[path], value))
            continue
        beside = [end for other, (_, end) in spans.items() if other[:-1] == path[:-1]]
        if not beside or not isinstance(path[-1], str):
            return None
        after, added = max(beside), f"{path[-1]} = {value}"
        if path[:-1] in spans:  # an inline table
            changes.append((after, after, f", {added}"))
        else:
            end = text.find("\n", after)
            end = len(text) if end < 0 else end + 1
            changes.append((end, end, f"{added}{line}" if text[:end].endswith("\n") else f"{line}{added}"))
    for start, end, value in sorted(changes, reverse=True):
        text = text[:start] + value + text[end:]
    return text
