"""What of a mechanism file has to do with places, and what it should say once its mechanism is drawn anew."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from precompute.arrays import Array
from precompute.geometry.spatial import Transform
from precompute.mechanism_file.elements.mistakes import formula_place
from precompute.mechanism_file.geometry import Geometry
from precompute.mechanism_file.schema.element_tables import is_measure
from precompute.mechanism_file.schema.toml_text import Path
from precompute.model.cams import Cam
from precompute.model.joints import plane_axes
from precompute.model.mechanism import Body, Bushing, Device, Joint, Marker, Measure, Mechanism, Rod, Spring, Wheel
from precompute.units import Scale, Units

DIGITS = 13
"""Places are written to so many digits of the size of the mechanism."""

SAME = 1e-11
"""What differs by less, of the size of the mechanism or of a unit vector, is as it was."""


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
    """The second axis that a frame has not, unless it needs it: without one z is as close to the global z as it can.

    A frame that has no first axis either is the global one.
    """

    path: Path
    R: Array  # (3, 3) the frame that is wanted
    axis: Path | None = None  # of the first axis, if that is not written either


Item = Place | Way | Value | Second


def items(document: Mapping[str, Any], new: Mechanism, old: Geometry, poses: Mapping[str, Transform]) -> Iterator[Item]:
    """Everything of a file that has to do with places."""

    def parts(*sections: str) -> Iterator[tuple[Path, dict[str, Any]]]:
        for section in sections:
            for name, entry in document.get(section, {}).items():
                yield (section, name), entry

    by_name: dict[str, Any] = {j.name: j for j in (*new.connections, *new.cams)}
    for path, entry in parts("bodies"):
        yield from _body(path, entry, next(b for b in new.bodies if b.name == path[1]), new.units, old, poses)
    for path, entry in parts("joints"):
        joint = by_name[str(path[1])]
        yield from (_cam if isinstance(joint, Cam) else _joint)(path, entry, joint, old, poses)
    for path, entry in parts("bushings"):
        yield from _bushing(path, entry, new.bushing(str(path[1])), old, poses)
    for path, entry in parts("markers"):
        yield from _marker(path, entry, new.marker(str(path[1])), old, poses)
    elements = {(kind, e.name): e for kind, es in _elements(new).items() for e in es}
    for path, entry in parts("springs", "anti_roll_bars", "stops", "dampers", "forces"):
        element = elements[str(path[0]), str(path[1])]
        yield from _table(path, entry, element.on, old, poses)
        if "on" in entry:
            yield from measured_items((*path, "on"), entry["on"], element.on, old, poses)
        if isinstance(element, Spring):
            yield from _spring(path, entry, element, new)
    for path, entry in parts("elements"):
        device = next(d for d in new.devices if d.name == path[1])
        yield from _element(path, entry, device, old, poses)
    for path, entry in parts("measures"):
        of = next(r.of for r in new.measures if r.name == path[1])
        yield from measured_items((*path, "of"), entry["of"], of, old, poses)
    for path, entry in parts("wheels"):
        yield from _wheel(path, entry, new.wheel(str(path[1])), new, old, poses)
    for path, entry in parts("axles"):
        axle = next(a for a in new.axles if a.name == path[1])
        if axle.steering is not None:
            yield from measured_items((*path, "steering"), entry["steering"], axle.steering, old, poses)
    yield from _coordinates(document, new, old, poses)


def _elements(m: Mechanism) -> dict[str, tuple[Any, ...]]:
    springs = dict.fromkeys(("springs", "anti_roll_bars", "stops"), m.springs)
    return {**springs, "dampers": m.dampers, "forces": m.forces}


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
        yield Value((*path, "inertia"), rounded(six, float(np.abs(six).max())))


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
    elif (joint.stiff or own_loads(joint)) and len(joint.axes) < 2:
        yield Second((*path, "second"), joint.R, None if axis is not None else (*path, "axis"))


def _cam(
    path: Path, entry: Mapping[str, Any], cam: Cam, old: Geometry, poses: Mapping[str, Transform]
) -> Iterator[Item]:
    yield Place((*path, "centre"), entry["centre"], cam.centre)
    yield Place((*path, "at"), entry["at"], cam.p)
    yield Way((*path, "axis"), entry["axis"], cam.axis, cam.parent)
    if "zero" in entry:
        yield _carried((*path, "zero"), entry["zero"], cam.parent, old, poses)
    elif np.abs(plane_axes(cam.axis)[0] - cam.zero).max() > SAME:
        yield Value((*path, "zero"), rounded(cam.zero, 1.0))
    if "normal" in entry:
        yield _carried((*path, "normal"), entry["normal"], cam.child, old, poses)


def own_loads(joint: Joint) -> bool:
    """Whether a joint has loads in axes of its own."""
    return bool(joint.loads) and joint.load_axes == "joint"


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


def _wheel(
    path: Path, entry: Mapping[str, Any], wheel: Wheel, new: Mechanism, old: Geometry, poses: Mapping[str, Transform]
) -> Iterator[Item]:
    yield Place((*path, "centre"), entry["centre"], wheel.centre)
    if "contact" in entry:
        yield Place((*path, "contact"), entry["contact"], wheel.contact(new.axes))
    if "spin_axis" in entry:
        yield _carried((*path, "spin_axis"), entry["spin_axis"], wheel.body, old, poses)
        return
    for key, angle in zip(("toe", "camber"), wheel.toe_and_camber(new.axes), strict=True):
        yield from _number((*path, key), entry.get(key, 0.0), angle, new.units.measure(angular=True))


def _table(
    path: Path, entry: Mapping[str, Any], of: Measure, old: Geometry, poses: Mapping[str, Transform]
) -> Iterator[Item]:
    """A measure between two bodies, at points or about an axis."""
    if "at" in entry and of.segment:
        for i, (_, p) in enumerate(of.segment):
            yield Place((*path, "at", i), entry["at"][i], p)
    if "axis" in entry:
        yield _carried((*path, "axis"), entry["axis"], entry["between"][0], old, poses)


def measured_items(
    path: Path, written: Any, of: Measure, old: Geometry, poses: Mapping[str, Transform]
) -> Iterator[Item]:
    """The places of a measure."""
    if isinstance(written, dict):
        yield from _table(path, written, of, old, poses)
        for i, (each, (_, term)) in enumerate(zip(written.get("measures", ()), of.terms, strict=False)):
            yield from measured_items((*path, "measures", i), each, term, old, poses)


def _element(
    path: Path, entry: Mapping[str, Any], device: Device, old: Geometry, poses: Mapping[str, Transform]
) -> Iterator[Item]:
    """What an element is connected to, measures by symbols or one alone; formulas where these count otherwise now."""
    for symbol, on in device.on:
        at, written = ((), entry["on"]) if is_measure(entry["on"]) else ((symbol,), entry["on"][symbol])
        yield from measured_items((*path, "on", *at), written, on, old, poses)
    for place, text in device.formulas() if "type" not in entry else ():
        place, written = formula_place(entry, place), entry
        for key in place:
            written = written[key]
        if written != text:
            yield Value((*path, *place), text)


def _spring(path: Path, entry: Mapping[str, Any], spring: Spring, new: Mechanism) -> Iterator[Item]:
    angular = spring.on.is_angle(new)
    length, effort = new.units.measure(angular), new.units.effort(angular)
    yield from _number((*path, "free_length"), entry.get("free_length"), spring.free_length, length)
    if spring.preload is not None:
        usual = 0.0 if spring.role == "anti_roll_bar" else None
        yield from _number((*path, "preload"), entry.get("preload", usual), spring.preload, effort)
    for key, stop in (("bump_stop", spring.bump_stop), ("rebound_stop", spring.rebound_stop)):
        if stop is not None and key in entry:
            yield from _number((*path, key, "length"), entry[key]["length"], stop.at, length)
        elif stop is not None:  # the only one of a stop
            side = "below" if key == "bump_stop" else "above"
            yield from _number((*path, side), entry[side], stop.at, length)


def _coordinates(
    document: Mapping[str, Any], new: Mechanism, old: Geometry, poses: Mapping[str, Transform]
) -> Iterator[Item]:
    for c in new.coordinates or ():
        path = ("coordinates", "free", c.name)
        entry = document["coordinates"]["free"][c.name]
        yield from measured_items((*path, "of"), entry["of"], c.of, old, poses)
        scale = new.units.measure(c.of.is_angle(new))
        for key, value in (("from", c.lower), ("to", c.upper), ("start", c.start)):
            yield from _number((*path, key), entry.get(key), value, scale)


def _number(path: Path, written: Any, wanted: float | None, scale: Scale) -> Iterator[Item]:
    if written is None or wanted is None:
        return
    value = float(scale.back(wanted))
    if not math.isclose(value, float(written), rel_tol=SAME, abs_tol=SAME * max(1.0, abs(float(written)))):
        yield Value(path, rounded(np.array([value]), max(abs(value), 1.0))[0])


def rounded(values: Array, size: float) -> list[float | int]:
    """Numbers without the digits that rounding has made, of a quantity of that size."""
    digits = DIGITS - math.ceil(math.log10(size))
    short = [round(float(x), digits) + 0.0 for x in values]
    return [int(x) if x.is_integer() else x for x in short]
