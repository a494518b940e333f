"""Where the places of single parts came from: points and axes of a file's entry, as functions of design variables.

What comes out has the values of the part itself, which is checked: an axis that a file may give to either side gets
the sign that it has in the mechanism.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from precompute.arrays import Array
from precompute.design.drawing import Drawing, frame, plane_axes
from precompute.design.jets import (
    Jet,
    columns,
    cross,
    dot,
    norm,
    product,
    quotient,
    rotation,
    scaled,
    sine_and_cosine,
    turned,
    unit,
)
from precompute.mechanism_file.joint_objects import joint_place
from precompute.mechanism_file.mounts import carried_by
from precompute.mechanism_file.schema.measure_words import Table
from precompute.mechanism_file.schema.toml_text import Path
from precompute.model.mechanism import Axes, Body, Bushing, Cam, Constraint, Joint, Marker, Measure, Rod, Wheel

AGREES = 1e-9
"""How far a jet may be from the mechanism that it describes [m or 1]."""


@dataclass(frozen=True, eq=False)
class JointPlaces:
    """A joint."""

    p_P: Jet  # (3,)
    p_C: Jet
    axes: tuple[Jet | None, ...]  # (3,) of each of its primitives; a ball has none


@dataclass(frozen=True, eq=False)
class RodPlaces:
    """A rod."""

    p_P: Jet  # (3,)
    p_C: Jet
    length: Jet


@dataclass(frozen=True, eq=False)
class FramePlaces:
    """A point of a body and axes there; of a wheel its spin axis and radius."""

    p: Jet  # (3,)
    R: Jet  # (3, 3)
    spin_axis: Jet | None = None
    radius: Jet | None = None  # ()


def agree(jet: Jet, value: Array, either_way: bool = False) -> Jet:
    """The jet with the sign of what it describes."""
    here = jet.here(np.ndim(value))
    sign = -1.0 if either_way and float(np.sum(here * value)) < 0.0 else 1.0
    assert np.abs(sign * here - value).max() < AGREES, "a jet is not what the mechanism has"
    return jet.linear(lambda x: sign * x)


# -- joints and rods --------------------------------------------------------------------------------------------------


def joint_places(joint: Joint, entry: Any, drawing: Drawing) -> JointPlaces:
    """Of a joint of the file."""
    path = ("joints", joint.name)
    at = joint_place(entry)
    both = drawing.own_place((*path, "at"))
    sides = [drawing.unit_steps({i: ((*path, "at"), 3 * side + i, "side") for i in range(3)}) for side in (0, 1)]
    p_P, p_C = (drawing.position(p, ()) + both + own for p, own in zip(at, sides, strict=True))
    R = rotation(drawing.unit_steps({i: (path, i, "turn") for i in range(3)}))
    axes = _sequence_axes(entry, drawing, R) if joint.kind == "sequence" else _axes(joint, entry, drawing, R)
    own = zip(axes, joint.primitives, strict=True)
    return JointPlaces(
        agree(p_P, joint.p_P),
        agree(p_C, joint.p_C),
        tuple(None if axis is None or p.axis is None else agree(axis, p.axis) for axis, p in own),
    )


def _sequence_axes(entry: Any, drawing: Drawing, R: Jet) -> list[Jet | None]:
    given = [each.rotation or each.translation for each in entry.primitives]
    return [None if axis is None else unit(turned(R, drawing.direction(axis))) for axis in given]


def _axes(joint: Joint, entry: Any, drawing: Drawing, R: Jet) -> list[Jet | None]:
    """Of the motions of a kind of joint, then of its stiff directions."""

    def direction(key: str) -> Jet | None:
        axis = getattr(entry, key, None)
        return None if axis is None else turned(R, drawing.direction(axis))

    axis, axis2 = direction("axis"), direction("axis2")
    named = {key: unit(given) for key, given in (("axis", axis), ("axis2", axis2)) if given is not None}
    if axis is not None:
        named["across"], named["across2"] = plane_axes(unit(axis))
    named |= {word: drawing.constant(e) for word, e in zip("xyz", np.eye(3), strict=True)}
    free = [None if motion.along is None else named[motion.along] for motion in joint.type.motions]
    if not joint.stiff:
        return free
    second = direction("second") if axis2 is None else axis2
    own = R if axis is None else frame(axis, second)
    return [*free, *stiff_axes(joint, own)]


def stiff_axes(joint: Joint, own: Jet) -> Iterator[Jet]:
    """(3,) of each stiff direction of a joint with these axes (3, 3)."""
    for name in joint.stiff_directions:
        assert name is not None, "the reader makes them of its own axes"
        yield own["xyz".index(name[-1])]


def mount_places(joint: Joint, bushings: Mapping[str, FramePlaces], made_of: list[Bushing]) -> JointPlaces:
    """Of a joint that the reader makes for bushings."""
    kind, held = carried_by(made_of)
    points = [bushings[b.name].p for b in held]
    p = sum(points[1:], start=points[0]).linear(lambda x: x / len(points))
    own = {
        "spherical": lambda: bushings[held[0].name].R,
        "fixed": lambda: p.fixed(np.eye(3)),
        "revolute": lambda: frame(points[1] - points[0]),
    }[kind]()
    free = [own[0]] if kind == "revolute" else [None] * (kind == "spherical")
    found = zip([*free, *stiff_axes(joint, own)], joint.primitives, strict=True)
    axes = tuple(None if axis is None or x.axis is None else agree(axis, x.axis) for axis, x in found)
    return JointPlaces(agree(p, joint.p_P), agree(p, joint.p_C), axes)


def rod_places(rod: Rod, entry: Any, drawing: Drawing) -> RodPlaces:
    """Of a rod of the file; without a length of its own it follows its points."""
    path = ("joints", rod.name)
    sides = [drawing.unit_steps({i: ((*path, "at"), 3 * side + i, "side") for i in range(3)}) for side in (0, 1)]
    p_P, p_C = (drawing.position(p, ()) + own for p, own in zip(entry.at, sides, strict=True))
    own = drawing.unit_steps({0: ((*path, "length"), 0, "derived")})
    length = norm(p_C - p_P) if entry.length is None else drawing.constant(np.array(rod.length))
    return RodPlaces(agree(p_P, rod.p_P), agree(p_C, rod.p_C), agree(length + own[0], np.array(rod.length)))


@dataclass(frozen=True, eq=False)
class ConstraintPlaces:
    """A constraint."""

    p_P: Jet  # (3,)
    p_C: Jet
    axis: Jet  # (3,) unit
    axis2: Jet


def constraint_places(held: Constraint, entry: Any, drawing: Drawing) -> ConstraintPlaces:
    """Of a constraint of the file; what it does not speak of is constant."""
    p_P, p_C = (drawing.position(p, ()) for p in entry.at or ((0.0, 0.0, 0.0),) * 2)
    axis = unit(drawing.direction(entry.axis))
    axis2 = axis if entry.axis2 is None else unit(drawing.direction(entry.axis2))
    ends = agree(p_P, held.p_P), agree(p_C, held.p_C)
    return ConstraintPlaces(*ends, agree(axis, held.axis), agree(axis2, held.axis2))


@dataclass(frozen=True, eq=False)
class CamPlaces:
    """A cam and its follower."""

    centre: Jet  # (3,)
    p: Jet  # (3,)
    R: Jet  # (3, 3) zero, across, axis
    normal: Jet | None  # (3,) unit, of a face


def cam_places(cam: Cam, entry: Any, drawing: Drawing) -> CamPlaces:
    """Of a cam of the file."""
    axis = unit(drawing.direction(entry.axis))
    zero = plane_axes(axis)[0] if entry.zero is None else drawing.direction(entry.zero)
    across = cross(axis, zero)
    axes = frame(cross(across, axis), across)
    normal = None
    if entry.normal is not None and cam.normal is not None:
        normal = agree(unit(drawing.direction(entry.normal)), cam.normal)
    ends = agree(drawing.position(entry.centre, ()), cam.centre), agree(drawing.position(entry.at, ()), cam.p)
    return CamPlaces(*ends, axes, normal)


# -- what is on bodies ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class BodyPlaces:
    """A body."""

    mass: Jet  # ()
    com: Jet  # (3,)
    inertia: Jet  # (3, 3)


def body_places(body: Body, entry: Any, drawing: Drawing) -> BodyPlaces:
    """Of a body; the axes of its inertia may go through points."""
    path = ("bodies", body.name)
    mass = drawing.constant(np.array(body.mass)) + drawing.unit_steps({0: ((*path, "mass"), 0, "number")})[0]
    com = drawing.position(entry.com, (*path, "com"))
    moments = drawing.geometry.units.inertia()(np.array((*entry.inertia, 0.0, 0.0, 0.0)[:6]))
    inertia = drawing.constant(np.zeros((3, 3)))
    for i, (moment, (a, b)) in enumerate(zip(moments, ENTRIES, strict=True)):
        own = drawing.constant(moment) + drawing.unit_steps({0: ((*path, "inertia", i), 0, "number")})[0]
        E = np.zeros((3, 3))
        E[a, b] = E[b, a] = 1.0
        inertia += own.linear(lambda x, E=E: x[..., None, None] * E)  # type: ignore[misc]
    if entry.inertia_axes is not None:
        R = frame(*(drawing.direction(axis) for axis in entry.inertia_axes))
        inertia = product(product(R, inertia, np.matmul), R.linear(partial(np.swapaxes, axis1=-1, axis2=-2)), np.matmul)
    return BodyPlaces(mass, agree(com, body.com), agree(inertia, body.inertia))


ENTRIES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
"""Rows and columns of the six numbers of an inertia."""


def bushing_places(bushing: Bushing, entry: Any, drawing: Drawing) -> FramePlaces:
    """Of a bushing."""
    turn = rotation(drawing.unit_steps({i: (("bushings", bushing.name), i, "turn") for i in range(3)}))
    second = None if entry.second is None else turned(turn, drawing.direction(entry.second))
    R = frame(turned(turn, drawing.direction(entry.axis)), second)
    p = drawing.position(entry.at, ("bushings", bushing.name, "at"))
    return FramePlaces(agree(p, bushing.p), agree(R, bushing.R))


def marker_places(marker: Marker, entry: Any, drawing: Drawing) -> FramePlaces:
    """Of a marker."""
    p = drawing.position(entry.at, ("markers", marker.name, "at"))
    axes = [None if axis is None else drawing.direction(axis) for axis in (entry.x_axis, entry.y_axis, entry.z_axis)]
    R = drawing.constant(np.eye(3)) if axes[0] is None else frame(axes[0], *axes[1:])
    spin = None
    if marker.spin_axis is not None:
        spin = agree(unit(drawing.direction(entry.spin_axis)), marker.spin_axis)
    return FramePlaces(agree(p, marker.p), agree(R, marker.R), spin)


def wheel_places(wheel: Wheel, entry: Any, axes: Axes, drawing: Drawing) -> FramePlaces:
    """Of a wheel."""
    p = drawing.position(entry.centre, ("wheels", wheel.name, "centre"))
    if entry.spin_axis is None:
        spin = _spin_of_angles(wheel, axes, drawing)
    else:
        spin = agree(unit(drawing.direction(entry.spin_axis)), wheel.spin_axis, either_way=True)
    radius = agree(_radius(wheel, entry, axes, p, spin, drawing), np.array(wheel.radius))
    return FramePlaces(agree(p, wheel.centre), drawing.constant(np.eye(3)), spin, radius)


def _radius(wheel: Wheel, entry: Any, axes: Axes, centre: Jet, spin: Jet, drawing: Drawing) -> Jet:
    """As given, or from the centre to the height of the contact point along the wheel plane."""
    path = ("wheels", wheel.name, "radius")
    own = drawing.unit_steps({0: (path, 0, "number")})[0] + drawing.unit_steps({0: (path, 0, "derived")})[0]
    if entry.contact is None:
        return drawing.constant(np.array(wheel.radius)) + own
    up = drawing.constant(axes.up)
    down = norm(scaled(spin, dot(up, spin)) - up)
    return quotient(dot(centre - drawing.position(entry.contact, ()), up), down) + own


def _spin_of_angles(wheel: Wheel, axes: Axes, drawing: Drawing) -> Jet:
    """[-sin psi cos gamma, cos psi cos gamma, -sin gamma] forward, left, up; see `wheel_objects`."""
    toe, camber = wheel.toe_and_camber(axes)
    outward = 1.0 if wheel.side == "left" else -1.0
    steps = drawing.unit_steps(
        {i: (("wheels", wheel.name, key), 0, "number") for i, key in enumerate(("toe", "camber"))}
    )
    psi, gamma = (steps[i].linear(partial(np.multiply, sign * outward)) for i, sign in ((0, -1.0), (1, 1.0)))
    (s, c), (sg, cg) = sine_and_cosine(psi, -outward * toe), sine_and_cosine(gamma, outward * camber)
    components = columns(-product(s, cg, np.multiply), product(c, cg, np.multiply), -sg)
    return agree(components.linear(lambda x: x @ axes.R), wheel.spin_axis)


@dataclass(frozen=True, eq=False)
class EndPlaces:
    """A measure between points, or about an axis."""

    of: Measure
    points: tuple[Jet, ...]  # (3,) both, or none
    axis: Jet | None  # (3,) unit


def measure_places(of: Measure, written: Any, drawing: Drawing, path: Path) -> Iterator[tuple[int, EndPlaces]]:
    """Of a measure of the file: which of its terms have points or an axis of their own, and those."""
    if not isinstance(written, Table):
        return
    given = dict(zip(written.words.keys, written.given, strict=True))
    for i, (_, part) in enumerate(of.terms):
        own = given["measures"][i] if "measures" in given else written
        if isinstance(own, Table):
            yield i, _ends(part, dict(zip(own.words.keys, own.given, strict=True)), drawing, path)


def _ends(of: Measure, given: Mapping[str, Any], drawing: Drawing, path: Path) -> EndPlaces:
    """Between points or about an axis."""
    if "axis" in given:
        return EndPlaces(of, (), unit(drawing.direction(given["axis"])))
    segment = of.segment
    assert segment is not None, "it is a distance"
    points = (drawing.position(p, (*path, "at", end)) for end, p in enumerate(given["at"]))
    return EndPlaces(of, tuple(agree(p, value) for p, (_, value) in zip(points, segment, strict=True)), None)
