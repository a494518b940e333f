"""Chrono's solid axles: tube, links, and where it is steered knuckles, tie rods, bell crank and drag link.

Read in SolidAxle.cpp, SolidThreeLinkAxle.cpp, SolidBellcrankThreeLinkAxle.cpp and their base classes.  Links of which
only the length matters are rods without mass here, with half of their mass at either end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from precompute.arrays import Array
from precompute.errors import MechanismError
from precompute.importing.chrono_parts import (
    INERTIA,
    LOOKS,
    composite,
    damper,
    inertia_of,
    matrix,
    position,
    spring,
    told_bushings,
    told_shaft,
    unit_vector,
    with_spindle,
)
from precompute.importing.corner import MOST_RACK, RACK_FILTER, SHARE_OF_LEVER, both_travels, wheel, whole_part
from precompute.importing.draft import Draft
from precompute.importing.fields import Fields
from precompute.importing.sides import FLIP, both_sides

Masses = list[tuple[float, Array]]
"""That go with the axle, and their places (3,) [mm]."""

MIDDLE = ("axle", "triangle", "upper_link", "trackbar", "tie_rod", "bell_crank", "drag_link", "drag_slider")
"""Objects and points whose names begin so are there once."""

LEAST_LEVER = 1.0
"""Of a steering that works [mm]."""

Radius = float | None


def solid_axle(file: Fields, draft: Draft, radius: Radius, steered: bool) -> None:
    """ChSolidAxle: two links on each side and a trackbar; a bell crank that moves the tie rod."""
    masses = [*_link(file, draft, "Upper Link", "upper"), *_link(file, draft, "Lower Link", "lower")]
    if "Trackbar" in file:
        masses += _trackbar(file, draft)
    tie = file.table("Tierod")
    draft.point("tie_outer", position(tie, "Location Knuckle"))
    _knuckle(file, draft, [(tie.number("Mass") / 2, draft.points["tie_outer"])])
    tie.known("Inertia", *LOOKS)
    crank, drag = file.table("Bell Crank"), file.table("Draglink")
    hinge, to_drag = position(crank, "Location Axle"), position(drag, "Location Bell Crank")
    to_tie, to_body = position(crank, "Location Tierod"), position(drag, "Location Chassis")
    draft.add(
        "joints", "tie_rod", type="rod", parent="knuckle_left", child="knuckle_right",
        at=["tie_outer_left", "tie_outer_right"],
    )  # fmt: skip
    draft.point("bell_crank_tie", to_tie)
    draft.add(
        "joints", "tie_rod_of_crank", "moves the tie rod", type="rod", parent="bell_crank", child="knuckle_left",
        at=["bell_crank_tie", "tie_outer_left"],
    )  # fmt: skip
    draft.notes.assumed.append(
        "the bell crank moves the left end of the tie rod by a link, where in Chrono it holds the rod's place across"
    )
    z = to_body - to_drag
    y = np.cross(to_drag - draft.points["lower_axle"], to_body - draft.points["lower_axle"])
    axes = [np.cross(y, z), y]
    _bell_crank(draft, crank, (to_drag + hinge + to_tie) / 3, axes, (hinge, to_drag, to_tie), to_body, steered)
    drag.known("Mass", "Inertia", *LOOKS)
    draft.notes.left_out.append("'Draglink': its mass and inertia; it is a link without mass")
    _finished(file, draft, radius, masses, "knuckle")


def three_link_axle(file: Fields, draft: Draft, radius: Radius, steered: bool) -> None:
    """ChSolidThreeLinkAxle: a triangle on a hinge and a ball, a link on each side; both wheels on the axle."""
    masses = _three_links(file, draft)
    spindle = file.table("Spindle")
    spindle.known(*LOOKS)
    centre = draft.points["wheel_centre"]
    parts = [(spindle.number("Mass"), centre * s, matrix(inertia_of(spindle))) for s in (np.ones(3), FLIP)]
    draft.notes.taken.append("'Spindle' as a part of 'axle'")
    draft.notes.assumed.append("wheels do not spin: that is for the tyre")
    _finished(file, draft, radius, masses, "axle", parts)


def bellcrank_axle(file: Fields, draft: Draft, radius: Radius, steered: bool) -> None:
    """ChSolidBellcrankThreeLinkAxle: the same with knuckles, and a bell crank with a tie rod on each side."""
    masses = _three_links(file, draft)
    tie = file.table("Tierod")
    draft.point("tie_outer", position(file.table("Knuckle"), "Location Tierod"))
    _knuckle(file, draft, [(tie.number("Mass") / 2, draft.points["tie_outer"])])
    tie.known("Inertia", *LOOKS)
    crank, drag = file.table("Bellcrank"), file.table("Draglink")
    hinge, to_tie = position(crank, "Location Axle"), position(crank, "Location Tierod")
    to_drag, to_body = position(drag, "Location Bellcrank"), position(drag, "Location Steering")
    draft.point("tie_inner", to_tie)
    draft.add("joints", "tie", type="rod", parent="bell_crank", child="knuckle", at=["tie_inner", "tie_outer"])
    _bell_crank(draft, crank, hinge, None, (hinge, to_drag, to_tie), to_body, steered)
    drag.known("Mass", "Inertia", *LOOKS)
    draft.notes.left_out.append("'Draglink': its mass and inertia; it is a link without mass")
    _finished(file, draft, radius, masses, "knuckle")


AXLES: dict[str, Callable[[Fields, Draft, Radius, bool], None]] = {
    "SolidAxle": solid_axle,
    "SolidThreeLinkAxle": three_link_axle,
    "SolidBellcrankThreeLinkAxle": bellcrank_axle,
}
"""What reads each template: a whole axle."""


def _link(file: Fields, draft: Draft, key: str, name: str) -> Masses:
    """A link on each side."""
    table = file.table(key)
    table.known("COM", "Inertia", *LOOKS)
    draft.point(f"{name}_body", position(table, "Location Chassis"))
    draft.point(f"{name}_axle", position(table, "Location Axle"))
    draft.add("joints", name, type="rod", parent="ground", child="axle", at=[f"{name}_body", f"{name}_axle"])
    told_bushings(table, draft, key)
    end = draft.points[f"{name}_axle"]
    return [(table.number("Mass") / 2, end * side) for side in (np.ones(3), FLIP)]


def _trackbar(file: Fields, draft: Draft) -> Masses:
    """The rod across; with it the two upper links are one in the middle."""
    table = file.table("Trackbar")
    table.known("Inertia", *LOOKS)
    for end, key in (("body", "Location Chassis"), ("axle", "Location Axle")):
        draft.point(f"trackbar_{end}", position(table, key))
        draft.point(f"upper_link_{end}", draft.points.pop(f"upper_{end}") * [1.0, 0.0, 1.0])
    draft.sections["joints"].pop("upper")
    for name in ("trackbar", "upper_link"):
        draft.add("joints", name, type="rod", parent="ground", child="axle", at=[f"{name}_body", f"{name}_axle"])
    draft.notes.assumed.append(
        "the two upper links as one in the middle: with joints that do not give way, four links and the trackbar "
        "together would hold the axle's roll"
    )
    return [(table.number("Mass") / 2, draft.points["trackbar_axle"])]


def _three_links(file: Fields, draft: Draft) -> Masses:
    """A triangle, whose hinge on the body is along y, and a link on each side."""
    table = file.table("Triangular Link")
    table.known(*LOOKS)
    for end, key in (("body", "Location Chassis"), ("axle", "Location Axle")):
        draft.point(f"triangle_{end}", position(table, key) * [1.0, 0.0, 1.0])
    middle = (draft.points["triangle_body"] + draft.points["triangle_axle"]) / 2
    inertia = INERTIA * np.array(table.numbers("Inertia"))
    draft.add("bodies", "triangle", mass=table.number("Mass"), com=middle, inertia=inertia)
    draft.add("joints", "triangle", type="revolute", parent="ground", child="triangle", at="triangle_body", axis="y")
    draft.add("joints", "triangle_ball", type="spherical", parent="triangle", child="axle", at="triangle_axle")
    return _link(file, draft, "Longitudinal Link", "link")


def _knuckle(file: Fields, draft: Draft, others: Masses) -> None:
    """The left one on its kingpin."""
    table = file.table("Knuckle")
    draft.point("knuckle_lower", position(table, "Location Lower"))
    draft.point("knuckle_upper", position(table, "Location Upper"))
    with_spindle(draft, "knuckle", table, file.table("Spindle"), others=others)
    draft.add(
        "joints", "knuckle", type="revolute", parent="axle", child="knuckle", axis=["knuckle_lower", "knuckle_upper"]
    )


def _bell_crank(
    draft: Draft,
    table: Fields,
    com: Array,
    axes: Sequence[Array] | None,
    points: tuple[Array, Array, Array],
    to_body: Array,
    steered: bool,
) -> None:
    """The bell crank on the axle, its hinge upright, and the drag link to a slider that is driven, or to the body.

    Args:
        draft: gets it; has the left tie rod's outer end and the kingpin.
        table: of the bell crank.
        com: (3,) its centre of mass [mm].
        axes: two of its inertia's axes; None where they are global.
        points: its hinge, the ends of drag link and tie rod on it.
        to_body: the other end of the drag link.
        steered: whether that is driven.
    """
    table.known(*LOOKS)
    hinge, to_drag, to_tie = points
    inertia = INERTIA * np.array(table.numbers("Inertia"))
    own = None if axes is None else [unit_vector(axis) for axis in axes]
    draft.add("bodies", "bell_crank", mass=table.number("Mass"), com=com, inertia=inertia, inertia_axes=own)
    draft.point("bell_crank_hinge", hinge)
    draft.point("bell_crank_drag", to_drag)
    draft.point("drag_link_end", to_body, "where the steering moves the drag link")
    draft.add(
        "joints", "bell_crank", type="revolute", parent="axle", child="bell_crank", at="bell_crank_hinge", axis="z"
    )
    parent = "drag_slider" if steered else "ground"
    draft.add(
        "joints", "drag_link", type="rod", parent=parent, child="bell_crank", at=["drag_link_end", "bell_crank_drag"]
    )
    if steered:
        _slider(draft, to_body - to_drag, to_drag - hinge, to_tie - hinge)


def _slider(draft: Draft, along: Array, arm: Array, tie_arm: Array) -> None:
    """What drives the drag link: along the car or across, whichever is nearer to the link."""
    kingpin, outer = draft.points["knuckle_lower"], draft.points["tie_outer"]
    axis = "x" if abs(along[0]) >= abs(along[1]) else "y"
    lever = abs(arm[1] if axis == "x" else arm[0])
    knuckle, crank = abs(outer[0] - kingpin[0]), abs(tie_arm[0])
    if any(math.isnan(x) for x in (lever, knuckle, crank)):
        return  # a fault of the file, which is told
    if not min(lever, knuckle, crank) >= LEAST_LEVER:
        raise MechanismError(
            [
                f"the bell crank has levers of {lever:.3g} mm for the drag link and {crank:.3g} mm for the tie rod, "
                f"the knuckle one of {knuckle:.3g} mm: no levers to steer with. With --no-rack the steering stays still"
            ],
            "the file",
        )
    most = whole_part(MOST_RACK, SHARE_OF_LEVER * lever * min(1.0, knuckle / crank))
    draft.add("bodies", "drag_slider", "driven: its mass matters only to the force that this takes", mass=0,
              com="drag_link_end")  # fmt: skip
    draft.add("joints", "drag_slider", type="prismatic", parent="ground", child="drag_slider", at="drag_link_end",
              axis=axis)  # fmt: skip
    draft.add("coordinates", "drag_slider", "its position is an input", of="joint.drag_slider",
              **{"from": -most, "to": most}, driven="filtered", filter_time=RACK_FILTER)  # fmt: skip
    draft.notes.assumed.append(
        f"the end of the drag link moves along {axis}, driven, with +-{most:g} mm; with --no-rack it stays on the body"
    )


def _finished(
    file: Fields,
    draft: Draft,
    radius: Radius,
    masses: Masses,
    carrier: str,
    parts: Sequence[tuple[float, Array, Array]] = (),
) -> None:
    """The axle itself, springs and wheels, both sides of them.

    Args:
        file: the parsed JSON.
        draft: has all else of the left side.
        radius: loaded radius of the wheel [mm].
        masses: that go with the axle.
        carrier: the body that carries the left wheel.
        parts: mass, centre of mass and tensor of what else is fixed to the axle.
    """
    tube = file.table("Axle Tube")
    tube.known(*LOOKS)
    com = position(tube, "COM")
    own = (tube.number("Mass"), com, matrix(inertia_of(tube)))
    composite(draft, "axle", "", [own, *parts, *((m, at, np.zeros((3, 3))) for m, at in masses)])
    draft.notes.assumed.append("links are rods without mass: half of it goes with the axle or the knuckle")
    if "triangle" not in draft.sections["bodies"]:  # whose ball leads to the axle
        draft.point("axle_middle", com)
        draft.add("joints", "axle", "but for its links", type="free", parent="ground", child="axle", at="axle_middle")
    spring(draft, file.table("Spring"), "axle", "Location Axle")
    damper(draft, file.table("Shock"), "axle", "Location Axle")
    told_shaft(file, draft)
    toe, camber = file.number("Toe Angle (deg)", 0.0), file.number("Camber Angle (deg)", 0.0)
    file.check("the file")
    wheel(draft, radius, toe, camber, carrier)
    if "drag_slider" in draft.sections["bodies"]:
        draft.sections["axles"]["axle"]["steering"] = "drag_slider"
    names = [*draft.points, *(name for objects in draft.sections.values() for name in objects)]
    both_sides(draft, {name for name in names if name.startswith(MIDDLE)})
    both_travels(draft, min(_lengths(draft)))


def _lengths(draft: Draft) -> Iterator[float]:
    """Of what guides the axle [mm]."""
    ends = [
        joint["at"] for joint in draft.sections["joints"].values() if joint.get("child") == "axle" and "at" in joint
    ]
    ends = [names for names in ends if isinstance(names, list)]
    if "triangle" in draft.sections["bodies"]:
        ends.append(["triangle_body", "triangle_axle"])
    for inner, outer in ends:
        yield float(np.linalg.norm(draft.points[inner] - draft.points[outer]))
