"""Checks of the values in a mechanism file that name other objects: bodies, markers, joint coordinates, measures."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from precompute.mechanism_file.schema.checks import Check, Point, Scope, check_points, fault, inside, sequence, shown
from precompute.model.mechanism import GROUND, JointCoordinate, MarkerCoordinate


@dataclass(frozen=True)
class MeasureOf:
    """The measure that a spring or damper acts on."""

    section: str  # "springs" or "dampers"
    name: str


@dataclass(frozen=True)
class Ends:
    """A distance: two bodies and a point on each."""

    bodies: tuple[str, str]
    points: tuple[Point, Point]


def check_reference(noun: str) -> Check:
    """The name of a body, marker ... of the file."""

    def check(value: Any, scope: Scope) -> str:
        if not isinstance(value, str):
            raise fault(f"is {shown(value)}; it must be the name of a {noun}, in quotes")
        scope.require(noun, value)
        return value

    return check


check_bodies = sequence(check_reference("body"), (2,), f'two bodies, for example ["{GROUND}", "slider"]')


def check_joint_coordinate(value: Any, scope: Scope) -> JointCoordinate:
    """A joint's name, with the number of one of its coordinates if it has several: "strut[2]"."""
    if not isinstance(value, str):
        raise fault(f'is {shown(value)}; it must be the name of a joint in quotes, for example "pivot" or "strut[2]"')
    match = re.fullmatch(r"([^\[\]]*)(?:\[(\d{1,3})\])?", value)
    if match is None:
        raise fault(f'is {shown(value)}; it must be a joint, "pivot", or one of its coordinates, "strut[2]"')
    name, position = match[1], int(match[2] or 1)
    if name in scope.rods:
        raise fault(f"'{name}' is a rod, which has no coordinate; name a joint of another type")
    scope.require("joint", name)
    if position == 0:
        raise fault(f"is {shown(value)}; the coordinates of a joint are numbered from 1")
    return JointCoordinate(name, position - 1)


def check_measure(value: Any, scope: Scope) -> JointCoordinate | MarkerCoordinate | MeasureOf | Ends:
    """What an independent coordinate measures."""
    if isinstance(value, dict) and set(value) == {"between", "at"}:
        bodies, points = inside(value, {"between": check_bodies, "at": check_points}, scope)
        return Ends(bodies, points)
    kind, _, rest = value.partition(".") if isinstance(value, str) else ("", "", "")
    name, _, last = rest.rpartition(".")
    if kind == "joint" and rest:
        return check_joint_coordinate(rest, scope)
    if kind == "marker" and last in ("x", "y", "z"):
        scope.require("marker", name)
        return MarkerCoordinate(name, last)  # type: ignore[arg-type]
    if kind in ("spring", "damper") and last == "length":
        scope.require(kind, name)
        return MeasureOf(f"{kind}s", name)
    raise fault(
        f'is {shown(value)}; it must be "joint.NAME", "joint.NAME[2]", "marker.NAME.x" (or y, z), '
        '"spring.NAME.length", "damper.NAME.length" or { between = [body, body], at = [point, point] }'
    )
