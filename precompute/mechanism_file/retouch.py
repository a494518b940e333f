"""The text of a mechanism file with its places changed and all else, comments too, left as it is.

    text, the mechanism drawn anew, where its bodies were moved to -> text

A value that still says what it should is left alone.  Named points move with the bodies that use them; where two bodies
now want one point in two places, the name stays with one of them and the other gets numbers.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from precompute.arrays import Array
from precompute.errors import MechanismError
from precompute.geometry.spatial import Transform
from precompute.mechanism_file.geometry import Geometry
from precompute.mechanism_file.reading import parse_document
from precompute.mechanism_file.schema.toml_text import Path, value_spans, value_text
from precompute.mechanism_file.writing import to_document
from precompute.model.mechanism import Body, Bushing, Joint, Marker, Measure, Mechanism, Rod, Spring
from precompute.units import Scale, Units

DIGITS = 13
"""Places are written to so many digits of the size of the mechanism."""

SAME = 1e-11
"""What differs by less, of the size of the mechanism or of a unit vector, is as it was."""

EQUAL = 1e-9
"""How near the numbers of the new text must be to those that it should have."""


@dataclass(frozen=True, eq=False)
class Place:
    """A point of a file and where it is to be."""

    path: Path
    written: Any  # a name or three numbers
    wanted: Array  # (3,) in G [m]
    implied: bool = False  # the file has no such key, and means what is written here


@dataclass(frozen=True, eq=False)
class Way:
    """An axis of a file and where it is to point."""

    path: Path
    written: Any  # a global axis, two or three names, or three numbers
    wanted: Array  # (3,) unit
    body: str  # that carries its points


@dataclass(frozen=True, eq=False)
class Value:
    """A number of a file, or several, as they are to be, in the units of the file."""

    path: Path
    wanted: Any


@dataclass(frozen=True, eq=False)
class Second:
    """The second axis that a frame has not, unless it needs it: without one z is as close to the global z as it can."""

    path: Path
    R: Array  # (3, 3) the frame that is wanted


Item = Place | Way | Value | Second


def retouched(text: str, new: Mechanism, poses: Mapping[str, Transform]) -> str | None:
    """The text with the places of `new`, or None if it cannot be done by changing values in their places.

    Args:
        text: of a valid mechanism file.
        new: its mechanism drawn anew.
        poses: where each body was moved to.
    """
    document = tomllib.loads(text)
    scale = new.units.measure()
    old = {name: scale(np.array(p, dtype=float)) for name, p in document.get("points", {}).items()}
    size = max([1e-12, *(float(np.abs(p).max()) for j in new.connections for p in (j.p_P, j.p_C))])
    every = list(items(document, new, Geometry(new.units, old), poses))
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
        found, asked = to_document(parse_document(document)), to_document(wanted)
    except (MechanismError, tomllib.TOMLDecodeError):
        return False
    for each in (found, asked):
        each["joints"] = {name: j for name, j in each["joints"].items() if name in document.get("joints", {})}
    return equal(found, asked)


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
        usual = geometry.frame(tuple(item.R[:, 0].tolist()), None, None)
        return {} if np.abs(usual - item.R).max() <= SAME else {item.path: numbers.direction(item.R[:, 1])}
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
        return value_text(_rounded(self.scale.back(p), self.scale.back(self.size)))

    def direction(self, v: Array) -> str:
        return value_text(_rounded(v, 1.0))


def _rounded(values: Array, size: float) -> list[float | int]:
    digits = DIGITS - math.ceil(math.log10(size))
    rounded = [round(float(x), digits) + 0.0 for x in values]
    return [int(x) if x.is_integer() else x for x in rounded]


def items(document: Mapping[str, Any], new: Mechanism, old: Geometry, poses: Mapping[str, Transform]) -> Iterator[Item]:
    """Everything of a file that has to do with places."""

    def parts(*sections: str) -> Iterator[tuple[Path, dict[str, Any]]]:
        for section in sections:
            for name, entry in document.get(section, {}).items():
                yield (section, name), entry

    by_name: dict[str, Any] = {j.name: j for j in new.connections}
    for path, entry in parts("bodies"):
        yield from _body(path, entry, next(b for b in new.bodies if b.name == path[1]), new.units, old, poses)
    for path, entry in parts("joints"):
        yield from _joint(path, entry, by_name[str(path[1])], old, poses)
    for path, entry in parts("bushings"):
        yield from _bushing(path, entry, new.bushing(str(path[1])), old, poses)
    for path, entry in parts("markers"):
        yield from _marker(path, entry, new.marker(str(path[1])), old, poses)
    elements = {(kind, e.name): e for kind, es in _elements(new).items() for e in es}
    for path, entry in parts("springs", "dampers", "forces"):
        element = elements[str(path[0]), str(path[1])]
        yield from _segment(path, entry, element.on)
        if "on" in entry:
            yield from _measured((*path, "on"), entry["on"], element.on)
        if isinstance(element, Spring):
            yield from _spring(path, entry, element, new)
    for path, entry in parts("measures"):
        yield from _measured((*path, "of"), entry["of"], next(r.of for r in new.measures if r.name == path[1]))
    yield from _coordinates(document, new)


def _elements(m: Mechanism) -> dict[str, tuple[Any, ...]]:
    return {"springs": m.springs, "dampers": m.dampers, "forces": m.forces}


def _body(
    path: Path, entry: Mapping[str, Any], body: Body, units: Units, old: Geometry, poses: Mapping[str, Transform]
) -> Iterator[Item]:
    yield Place((*path, "com"), entry["com"], body.com)
    if "inertia" not in entry:
        return
    if (axes := entry.get("inertia_axes")) is not None:
        for i, axis in enumerate(axes):
            yield _carried((*path, "inertia_axes", i), axis, body.name, old, poses)
        return
    xx, yy, zz, xy, xz, yz = (*entry["inertia"], 0.0, 0.0, 0.0)[:6]
    given = units.inertia()(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], dtype=float))
    size = float(np.abs(given).max())
    if np.abs(given - body.inertia).max() > SAME * size:
        six = units.inertia().back(body.inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]])
        yield Value((*path, "inertia"), _rounded(six, float(np.abs(six).max())))


def _carried(path: Path, axis: Any, body: str, old: Geometry, poses: Mapping[str, Transform]) -> Way:
    """An axis that turns with a body."""
    v = poses[body].R @ old.direction(axis)
    return Way(path, axis, v / np.linalg.norm(v), body)


def _joint(
    path: Path, entry: Mapping[str, Any], joint: Joint | Rod, old: Geometry, poses: Mapping[str, Transform]
) -> Iterator[Item]:
    at, axis = entry.get("at"), entry.get("axis")
    if isinstance(at, list) and len(at) == 2:
        yield Place((*path, "at", 0), at[0], joint.p_P)
        yield Place((*path, "at", 1), at[1], joint.p_C)
    else:  # without one it is the first point of its axis, or the origin
        place = axis[0] if isinstance(axis, list) and len(axis) == 2 else [0.0, 0.0, 0.0]
        yield Place((*path, "at"), place if at is None else at, joint.p_P, implied=at is None)
    if isinstance(joint, Rod):
        return
    if joint.kind == "sequence":
        for i, (each, written) in enumerate(zip(joint.primitives, entry.get("primitives", ()), strict=False)):
            if each.axis is not None and each.kind in written:
                yield Way((*path, "primitives", i, each.kind), written[each.kind], each.axis, joint.parent)
        return
    wanted = dict(zip(("axis", "axis2"), joint.axes or (joint.R[:, 0],), strict=False))
    for key, direction in wanted.items():
        if key in entry:
            yield Way((*path, key), entry[key], direction, joint.parent if key == "axis" else joint.child)
    if "second" in entry:
        carrier = joint.child if joint.stiff_axes == "child" else joint.parent
        yield _carried((*path, "second"), entry["second"], carrier, old, poses)
    elif joint.stiff and len(joint.axes) < 2 and axis is not None:
        yield Second((*path, "second"), joint.R)


def _bushing(
    path: Path, entry: Mapping[str, Any], bushing: Bushing, old: Geometry, poses: Mapping[str, Transform]
) -> Iterator[Item]:
    yield Place((*path, "at"), entry["at"], bushing.p)
    yield Way((*path, "axis"), entry["axis"], bushing.R[:, 0], bushing.parent)
    if "second" in entry:
        yield _carried((*path, "second"), entry["second"], bushing.parent, old, poses)
    else:
        yield Second((*path, "second"), bushing.R)


def _marker(
    path: Path, entry: Mapping[str, Any], marker: Marker, old: Geometry, poses: Mapping[str, Transform]
) -> Iterator[Item]:
    yield Place((*path, "at"), entry["at"], marker.p)
    for key in ("x_axis", "y_axis", "z_axis", "spin_axis"):
        if key in entry:
            yield _carried((*path, key), entry[key], marker.body, old, poses)
    if "x_axis" in entry and "y_axis" not in entry and "z_axis" not in entry:
        yield Second((*path, "y_axis"), marker.R)


def _segment(path: Path, entry: Mapping[str, Any], of: Measure) -> Iterator[Item]:
    if "at" in entry and of.segment:
        for i, (_, p) in enumerate(of.segment):
            yield Place((*path, "at", i), entry["at"][i], p)


def _measured(path: Path, written: Any, of: Measure) -> Iterator[Item]:
    if isinstance(written, dict):
        yield from _segment(path, written, of)


def _spring(path: Path, entry: Mapping[str, Any], spring: Spring, new: Mechanism) -> Iterator[Item]:
    angular = spring.on.is_angle(new)
    length, effort = new.units.measure(angular), new.units.effort(angular)
    yield from _number((*path, "free_length"), entry.get("free_length"), spring.free_length, length)
    if spring.preload is not None:
        yield from _number((*path, "preload"), entry.get("preload"), spring.preload, effort)
    for key, stop in (("bump_stop", spring.bump_stop), ("rebound_stop", spring.rebound_stop)):
        if stop is not None:
            yield from _number((*path, key, "length"), entry[key]["length"], stop.at, length)


def _coordinates(document: Mapping[str, Any], new: Mechanism) -> Iterator[Item]:
    for c in new.coordinates or ():
        path = ("coordinates", "free", c.name)
        entry = document["coordinates"]["free"][c.name]
        yield from _measured((*path, "of"), entry["of"], c.of)
        scale = new.units.measure(c.of.is_angle(new))
        for key, value in (("from", c.lower), ("to", c.upper), ("start", c.start)):
            yield from _number((*path, key), entry.get(key), value, scale)


def _number(path: Path, written: Any, wanted: float | None, scale: Scale) -> Iterator[Item]:
    if written is None or wanted is None:
        return
    value = float(scale.back(wanted))
    if not math.isclose(value, float(written), rel_tol=SAME, abs_tol=SAME * max(1.0, abs(float(written)))):
        yield Value(path, _rounded(np.array([value]), max(abs(value), 1.0))[0])


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
